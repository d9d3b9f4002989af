"""The pages that explain: how it is measured, how far to trust the judge, where the data are."""

from __future__ import annotations

from collections.abc import Iterator

from mmbench.report.pages.site import Site, trial_path
from mmbench.report.render import Page
from mmbench.report.tables.judging import judging


def pages(site: Site) -> Iterator[Page]:
    """Yield them."""
    yield Page("how.html", "how.html")
    found = judging([session for session in site.results.sessions if not session.reference])
    rows = [
        {
            "item": item,
            "path": trial_path(item.session.id, item.trial.key) if item.session.id in site.detailed else None,
        }
        for item in (found.disagreements if found else ())
    ]
    yield Page("judge.html", "judge.html", {"judging": found, "rows": rows})
    sessions = list(reversed(site.results.sessions))
    yield Page("data.html", "data.html", {"sessions": sessions, "cells": list(site.cells)})
