"""Trial pages at their worst: huge and hostile texts, nothing run, one arm alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from mmbench.report.build import build
from mmbench.report.pages.attempt import diff
from mmbench.report.publish.budget import PAGE
from tests.report.conftest import SITE
from tests.report.test_load import first, rechain


def test_a_diff_marks_lines() -> None:
    assert diff("a\nb\nc", "a\nx\nc") == [(" ", "a"), ("-", "b"), ("+", "x"), (" ", "c")]
    assert diff("same", "same") == []


@pytest.mark.parametrize("sign", ["x", '"', "\u202e", "界", "\n"])
def test_huge_texts_keep_the_page_within_its_budget(small: Path, tmp_path: Path, sign: str) -> None:
    huge = {"text": sign * 1_000_000, "bytes": 5_000_000, "truncated": True}
    step = {"kind": "message", "name": None, "text": huge}
    call = {"argv": [sign * 5000], "started_at": "2026-01-01T00:00:00Z", "duration_s": 1, "exit_code": 0}
    call |= {"failed": False, "reason": None}

    def change(values):
        for value in values:
            if value["kind"] == "trial" and value["run"] == 1 and value["case"] == "retrieval-image-00":
                value["outcome"] = value["outcome"] | {"final_text": huge}
                value["steps"] = {"items": [step] * 3, "dropped": 2}
                value["mm"] = value["mm"] | {"calls": [call] * 500}
                value["stderr_tail"] = huge
            yield value

    path = first(small)
    rechain(path, change)
    report = build(small, tmp_path / "out", site=SITE, only=[path.stem])
    assert report.warnings == ()
    page = tmp_path / "out/trial" / path.stem / "retrieval-image-00/with_mm-1.html"
    assert 20_000 < len(page.read_bytes()) <= PAGE


def test_a_trial_that_was_never_run_has_its_page(tmp_path: Path) -> None:
    from tests.support import synthetic
    from tests.support.synthetic import Plan

    path = synthetic.write_fast(tmp_path / "r", Plan("synthetic-a", cases=8, runs=1, cut=4))
    build(tmp_path / "r", tmp_path / "out", site=SITE)
    pages = sorted((tmp_path / "out/trial" / path.stem).rglob("*.html"))
    assert len(pages) == 16
    assert sum("queued" in page.read_text() for page in pages) == 12


def test_tokens_that_do_not_add_up_are_in_doubt(small: Path, tmp_path: Path) -> None:
    def change(values):
        for value in values:
            if value["kind"] == "trial" and value["run"] == 1 and value["case"] == "retrieval-image-00":
                value["usage"] = value["usage"] | {
                    "input_total": 1000,
                    "input_by_calls": 940 + 10 * (value["arm"] == "with_mm"),
                }
            yield value

    path = first(small)
    rechain(path, change)
    build(small, tmp_path / "out", site=SITE, only=[path.stem])
    pages = tmp_path / "out/trial" / path.stem / "retrieval-image-00"
    assert "add up to 940 input tokens" in (pages / "without_mm-1.html").read_text()
    assert "In doubt" not in (pages / "with_mm-1.html").read_text()
    others = len(list(pages.glob("*-1.html"))) - 1
    assert (
        f"In {others} trials the agent's own total"
        in (tmp_path / f"out/session/{path.stem}.html").read_text()
    )


QUESTION = {"text": "Which rate, <b>please</b>?", "bytes": 27, "truncated": False}
SAID = {"question": QUESTION, "asked_s": 2.5, "changed_before": 3, "answered_s": 3.25, "refused": None}
TALKS = {
    "answered": (SAID, "Asked after 2.5 s, with 3 entries of the tree changed before. Answered after 3.2 s."),
    "too late": (SAID | {"answered_s": None, "changed_before": 0}, "Asked after 2.5 s. It was not answered"),
    "refused": (SAID | {"question": None, "refused": "it is a symlink"}, "was not read, it is a symlink."),
}


@pytest.mark.parametrize(("said", "shown"), TALKS.values(), ids=TALKS)
def test_the_question_to_the_user_is_shown_where_there_is_one(
    small: Path, tmp_path: Path, said: dict[str, object], shown: str
) -> None:
    def change(values):
        for value in values:
            if value["kind"] == "trial" and value["run"] == 1 and value["case"] == "retrieval-image-00":
                value["clarification"] = said
            yield value

    path = first(small)
    rechain(path, change)
    build(small, tmp_path / "out", site=SITE, only=[path.stem])
    folder = tmp_path / "out/trial" / path.stem
    page = (folder / "retrieval-image-00/with_mm-1.html").read_text()
    assert shown in " ".join(page.split())
    assert ("Which rate, &lt;b&gt;please&lt;/b&gt;?" in page) == (said["question"] is not None)
    other = next(one for one in sorted(folder.rglob("*.html")) if "retrieval-image-00" not in str(one))
    assert "Question to the user" not in other.read_text()
