"""A case's page: everybody who ran it, with one arm alone too."""

from __future__ import annotations

from pathlib import Path

from mmbench import jsontext, ledger
from mmbench.report.build import build
from tests.report.conftest import SITE
from tests.report.test_load import first, rechain


def test_a_trial_without_a_partner_can_be_reached(small: Path, tmp_path: Path) -> None:
    path, case = first(small), "retrieval-image-00"

    def one_arm(values):  # type: ignore[no-untyped-def]
        for value in values:
            if value["kind"] == "session":
                plan = value["plan"]
                kept = [e for e in plan["schedule"] if (e["case"], e["arm"]) != (case, "without_mm")]
                value["plan"] = plan | {"schedule": kept}
            if (value.get("case"), value.get("arm")) != (case, "without_mm"):
                yield value

    rechain(path, one_arm)
    session = jsontext.loads(ledger.read(path)[1][0].data)["session"]
    build(small, tmp_path / "out", site=SITE, only=[session])
    text = (tmp_path / "out" / "session" / f"{session}.html").read_text()
    assert "2 trials without a partner" in text
    link = f"trial/{session}/{case}/with_mm-1.html"
    assert link in text and (tmp_path / "out" / link).is_file()
    assert link in (tmp_path / "out" / "case" / f"{case}.html").read_text()
