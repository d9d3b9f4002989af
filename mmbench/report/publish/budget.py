"""How large the site may be: what is ours is refused, what results make large is told."""

from __future__ import annotations

from mmbench.errors import DataError

PAGE = 300_000
CSS = 20_000
JS = 15_000
FILE = 50_000_000
SITE = 400_000_000
_ASSETS = {".css": CSS, ".js": JS}


class Budget:
    """Adds up the files of a build."""

    def __init__(self) -> None:
        self.total = 0
        self.warnings: list[str] = []

    def add(self, path: str, size: int) -> None:
        """Take in one file; DataError when it breaks a limit that has nothing to do with the results."""
        self.total += size
        ending = path[path.rfind(".") :]
        if path.startswith("assets/") and size > _ASSETS.get(ending, FILE):
            raise DataError(f"{path} has {size:,} bytes, more than {_ASSETS[ending]:,}.", where=path)
        if size > FILE:
            raise DataError(f"{path} has {size:,} bytes, more than GitHub takes.", where=path)
        if ending == ".html" and size > PAGE:
            self.warnings.append(f"The page {path} has {size:,} bytes, more than {PAGE:,}.")

    def finish(self) -> None:
        """Tell when the whole site is too large."""
        if self.total > SITE:
            self.warnings.append(f"The site has {self.total:,} bytes, more than {SITE:,}.")
