"""A session's page: the further arms, what was removed, and nothing where there is nothing."""

from __future__ import annotations

import shutil
from pathlib import Path

from mmbench import cleanup
from mmbench.report import load
from mmbench.report.build import build
from mmbench.report.tables.arms import further_arms
from tests.report.conftest import SITE


def page(built: Path, pattern: str) -> str:
    return sorted(built.glob(pattern))[-1].read_text()


def test_the_page_says_what_the_statistics_say(built: Path, small: Path) -> None:
    text = page(built, "session/*synthetic-arms*.html")
    results = load.results(small)
    found = further_arms(results, [s for s in results.sessions if "arms" in s.id])
    for arm in found.arms:
        assert f'<th scope="row">{arm.name.capitalize()}</th>' in text
        assert f"{arm.summary.mean:.1f}" in text
    for contrast in found.contrasts:
        assert contrast.question.asks in text
        assert f"{abs(contrast.lift.point or 0):.1f}" in text
    assert "Every trial of the further arms" in text


def test_the_same_arms_stand_on_the_cell_and_the_case(built: Path) -> None:
    assert "What does the primer add" in page(built, "cell/synthetic-arms*/*.html")
    assert "With further arms" in page(built, "case/*.html")
    assert "What does the primer add" not in page(built, "cell/synthetic-b/*.html")


def test_what_was_removed_is_told_with_its_date(built: Path) -> None:
    text = page(built, "session/*synthetic-arms*.html")
    assert text.count("2026-03-0") >= 3 and "4.5\u00a0MB" in text
    assert "Nothing is logged as removed" in page(built, "session/*synthetic-b-*.html")


def test_a_trial_says_that_a_file_was_removed_and_links_to_the_log(built: Path) -> None:
    text = page(built, "trial/*synthetic-arms*/*/with_mm-1.html")
    assert "clean-up on 2026-03-0" in text and "#cleanup" in text
    assert " download>" not in text and "<img " not in text


def test_a_clean_up_and_figures_on_a_judge_reach_pages_that_were_built_before(
    small: Path, tmp_path: Path
) -> None:
    """What lies beside the records makes pages anew, as if there had been no build before."""
    cache, warm, cold = tmp_path / "cache", tmp_path / "warm", tmp_path / "cold"
    judged = small / "judge" / "calibration-synthetic.json"
    kept = judged.read_bytes()
    judged.unlink()
    build(small, warm, site=SITE, cache=cache)
    judged.write_bytes(kept)
    (session,) = (path.stem for path in small.glob("*synthetic-a-*.jsonl"))
    removal = {
        "session": session,
        "what": "artifacts",
        "files": 3,
        "bytes": 9,
        "result": "removed",
        "error": None,
    }
    with cleanup.writer(small, session, lambda: "2026-04-01T00:00:00.000Z") as book:
        book.append(cleanup.RECORD, removal)
    shutil.rmtree(small / "artifacts" / session)
    build(small, warm, site=SITE, cache=cache)
    build(small, cold, site=SITE)
    assert "2026-04-01 00:00 UTC" in page(warm, f"session/{session}.html")
    trials = [path.read_text() for path in warm.glob(f"trial/{session}/*/*.html")]
    assert sum("clean-up on 2026-04-01" in text for text in trials) > len(trials) / 2
    assert files_of(warm) == files_of(cold)


def files_of(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_trial_of_a_further_arm_stands_beside_what_it_differs_from(built: Path) -> None:
    for arm, other in (("unprimed", "with mm"), ("placebo", "without mm")):
        text = page(built, f"trial/*synthetic-arms*/*/{arm}-1.html")
        assert f"<h3>Answer {arm}</h3>" in text and f"<h3>Answer {other}</h3>" in text
        assert text.count("All arms of this run") == 1
    assert "mm was out of reach in this arm" in text
    assert "All arms of this run" not in page(built, "trial/*synthetic-b-*/*/with_mm-1.html")
