"""Where the speech model's weights come from, and the proof that they are the right ones.

They are looked for in a folder the user names, in the project's own store, and on the
Hugging Face hub, in this order. Nothing is used whose size and SHA-256 were not compared
with the table below.
"""

from __future__ import annotations

import hashlib
import logging
import os
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from mmbench.errors import DataError, UsageError

FOLDER_VARIABLE = "MMBENCH_WHISPER_DIR"
_REACH_TIMEOUT = (3.0, 5.0)
"""Seconds to connect and to answer, before the hub is taken as out of reach."""


@dataclass(frozen=True, slots=True)
class Pin:
    """One model at one commit of a hub repository: name of file to (bytes, SHA-256)."""

    repo: str
    revision: str
    files: Mapping[str, tuple[int, str]]

    @property
    def name(self) -> str:
        """Return the name that is recorded for this model."""
        return f"{self.repo}@{self.revision[:12]}"

    @property
    def size(self) -> int:
        """Return the bytes of all files."""
        return sum(size for size, _ in self.files.values())


WHISPER_BASE = Pin(
    repo="Systran/faster-whisper-base",
    revision="ebe41f70d5b6dfa9166e2c581c45c9c0cfc57b66",
    files={
        "config.json": (2309, "56a6d8110d311f19c8f0471e562832c7527f146b567275bfca59fcf7c184da9a"),
        "model.bin": (145217532, "d01c3014881c9c6f3133c182f3d2887eb6ca1c789a7538c5c007196857a0a6a9"),
        "tokenizer.json": (2203239, "fb7b63191e9bb045082c79fd742a3106a12c99513ab30df4a0d47fa6cb6fd0ab"),
        "vocabulary.txt": (459861, "34ce3fe1c5041027b3f8d42912270993f986dbc4bb34cf27f951e34a1e453913"),
    },
)
"""Whisper base (MIT) as converted for CTranslate2 by Systran."""


@dataclass(frozen=True, slots=True)
class Weights:
    """A checked model: its folder, what to call it, and the digest of all its files."""

    folder: Path
    name: str
    digest: str


@dataclass(frozen=True, slots=True)
class Missing:
    """No weights, and why; the local backend then reads images only."""

    reason: str


def find_weights(
    models: Path,
    folder: Path | None = None,
    *,
    fetch: bool = True,
    pin: Pin = WHISPER_BASE,
) -> Weights | Missing:
    """Find the speech model: named folder, then the store in `models`, then the hub.

    A named folder (or MMBENCH_WHISPER_DIR) must hold the pinned files. Raise UsageError or
    DataError when it is not usable: what a user named is never silently replaced.
    """
    named = folder or (Path(os.environ[FOLDER_VARIABLE]) if os.environ.get(FOLDER_VARIABLE) else None)
    if named is not None:
        return _named(named, pin)
    store = models / f"{pin.repo.rsplit('/', 1)[-1]}-{pin.revision[:12]}"
    if not faults(store, pin):
        return Weights(store, pin.name, digest(store, pin.files))
    if not fetch:
        return Missing(f"the speech model {pin.name} is not in {store.parent.name}/ and was not fetched")
    return _from_hub(store, pin)


def faults(folder: Path, pin: Pin) -> list[str]:
    """List what is wrong with a folder of weights; empty when every file is the pinned one."""
    found = []
    for name, (size, sha256) in pin.files.items():
        path = folder / name
        if not path.is_file():
            found.append(f"{name} is missing")
        elif path.stat().st_size != size:
            found.append(f"{name} has {path.stat().st_size} bytes instead of {size}")
        elif _sha256(path) != sha256:
            found.append(f"{name} has other content than the pinned one")
    return found


def digest(folder: Path, names: Iterable[str]) -> str:
    """Compute one SHA-256 over the names and hashes of a model's files."""
    lines = "".join(f"{_sha256(folder / name)}  {name}\n" for name in sorted(names))
    return hashlib.sha256(lines.encode()).hexdigest()


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _named(folder: Path, pin: Pin) -> Weights:
    if not folder.is_dir():
        raise UsageError(f"The folder of speech weights does not exist: {folder}.", where=FOLDER_VARIABLE)
    if wrong := faults(folder, pin):
        raise DataError(
            f"The folder does not hold {pin.name}: {'; '.join(wrong)}.",
            where=str(folder),
            fix="Name a folder with exactly these files, or none: then they are fetched.",
        )
    return Weights(folder, pin.name, digest(folder, pin.files))


def _from_hub(store: Path, pin: Pin) -> Weights | Missing:
    if reason := _unreachable(pin):
        return Missing(f"the speech model {pin.name} cannot be fetched: {reason}")
    partial = store.with_name(f"{store.name}.partial")
    partial.mkdir(parents=True, exist_ok=True)
    if reason := _fetch(partial, pin):
        return Missing(f"the speech model {pin.name} cannot be fetched: {reason}")
    if wrong := faults(partial, pin):
        shutil.rmtree(partial)
        return Missing(f"what the hub sent for {pin.name} was refused: {'; '.join(wrong)}")
    if store.exists():
        shutil.rmtree(store)
    partial.rename(store)
    return Weights(store, pin.name, digest(store, pin.files))


def _unreachable(pin: Pin) -> str:
    """Say why the hub cannot be used, or nothing.

    The hub's client retries a dead line for 23 s and logs each try; one short question
    before it keeps an offline run quick and quiet.
    """
    import requests
    from huggingface_hub import constants, hf_hub_url

    if constants.HF_HUB_OFFLINE:
        return "HF_HUB_OFFLINE is set"
    url = hf_hub_url(pin.repo, "config.json", revision=pin.revision)
    try:
        status = requests.head(url, timeout=_REACH_TIMEOUT, allow_redirects=False).status_code
    except requests.RequestException as error:
        return f"no connection to {constants.ENDPOINT} ({type(error).__name__})"
    return "" if status < 400 else f"{constants.ENDPOINT} answers with status {status}"


def _fetch(folder: Path, pin: Pin) -> str:
    """Download what is missing or wrong into a folder and return why that failed, or nothing."""
    from huggingface_hub import hf_hub_download
    from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError
    from huggingface_hub.utils.tqdm import disable_progress_bars

    disable_progress_bars()
    logging.getLogger("huggingface_hub").setLevel(logging.ERROR)
    try:
        for name in pin.files:
            hf_hub_download(pin.repo, name, revision=pin.revision, local_dir=folder, etag_timeout=5)
    except (HfHubHTTPError, LocalEntryNotFoundError, OSError) as error:
        return f"the download stopped ({type(error).__name__})"
    return ""
