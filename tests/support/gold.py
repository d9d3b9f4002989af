"""Gold files: what a test makes must equal what was looked at and kept.

Set MMBENCH_GOLD=write to keep what is made now; look at the difference before
it is committed.
"""

from __future__ import annotations

import os
from pathlib import Path


def check(gold: Path, actual: str, scratch: Path) -> None:
    """Compare text with a gold file; on a mismatch the text is kept in `scratch` for a look."""
    if os.environ.get("MMBENCH_GOLD") == "write":
        gold.parent.mkdir(parents=True, exist_ok=True)
        gold.write_text(actual)
        return
    if gold.is_file() and gold.read_text() == actual:
        return
    kept = scratch / gold.name.replace(".golden.", ".actual.")
    kept.write_text(actual)
    raise AssertionError(f"{gold.name} differs; what was made is in {kept}")
