"""The link checker: every address on every page is relative and leads to a file or an anchor of this build."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from mmbench.errors import DataError

_LINK = re.compile(r' (?:href|src)="([^"]*)"')
_ID = re.compile(r' id="([^"]*)"')
"""A literal space is five times as fast to look for as any space; templates begin no line with an attribute."""
SHOWN = 5


class Links:
    """Collects the addresses of pages while they are made; `check` holds them against the files."""

    def __init__(self) -> None:
        self._targets: dict[str, str] = {}
        """Target -> a page that points at it."""
        self._broken: list[str] = []

    def add(self, path: str, html: str) -> dict[str, str]:
        """Take in one page; returns each target outside of it with the page that points there."""
        root = "../" * path.count("/")
        found = set(_LINK.findall(html))
        anchors = {link[1:] for link in found if link.startswith("#")}
        lost = anchors.difference(_ID.findall(html)) if anchors else ()
        self._broken += [f"{path}: #{anchor} is not on the page" for anchor in sorted(lost)]
        outside = [link for link in found if not link.startswith("#")]
        self._broken += [
            f"{path}: {link} does not begin at the site's root"
            for link in outside
            if not link.startswith(root)
        ]
        targets = {
            link.partition("#")[0].removeprefix(root): path for link in outside if link.startswith(root)
        }
        self.take(targets)
        return targets

    def take(self, targets: Mapping[str, str]) -> None:
        """Take in targets of pages that were looked through before."""
        for target, page in targets.items():
            self._targets.setdefault(target, page)

    def check(self, files: Iterable[str]) -> None:
        """Raise DataError when an address leads nowhere or out of the site."""
        known = set(files)
        lost = [f"{page}: {target}" for target, page in self._targets.items() if target not in known]
        broken = sorted(self._broken + lost)
        if broken:
            more = f" and {len(broken) - SHOWN} more" if len(broken) > SHOWN else ""
            raise DataError(
                f"{len(broken)} links of the site lead nowhere: {'; '.join(broken[:SHOWN])}{more}.",
                where=broken[0].partition(":")[0],
            )
