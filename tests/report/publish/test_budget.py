"""The budgets."""

from __future__ import annotations

import pytest

from mmbench.errors import DataError
from mmbench.report.publish import budget
from mmbench.report.publish.budget import Budget


@pytest.mark.parametrize(
    ("path", "size"), [("assets/a.css", 20_001), ("assets/a.js", 15_001), ("data/x.json", 50_000_001)]
)
def test_what_is_ours_or_unpublishable_is_refused(path: str, size: int) -> None:
    with pytest.raises(DataError, match="more than"):
        Budget().add(path, size)


def test_a_large_page_is_told() -> None:
    found = Budget()
    found.add("a.html", 300_000)
    assert found.warnings == []
    found.add("b.html", 300_001)
    assert found.warnings == ["The page b.html has 300,001 bytes, more than 300,000."]


def test_a_large_site_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget, "SITE", 10)
    found = Budget()
    found.add("a", 11)
    found.finish()
    assert found.warnings == ["The site has 11 bytes, more than 10."]
