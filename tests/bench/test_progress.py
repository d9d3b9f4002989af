"""What the terminal is told of an attempt."""

from __future__ import annotations

from mmbench.bench.progress import outcome_text

RECORD = {"status": "completed", "failure": None}


def test_words_of_others_are_one_line_that_cannot_drive_the_terminal() -> None:
    said = "refused\n\x1b]0;owned\x07" + "x" * 500
    failed = RECORD | {"status": "infra_error", "failure": {"kind": "auth", "message": said}}
    checks = {"checkpoint_score": None, "error": said}
    verdict = {"status": "failed", "error": said}
    for text in (
        outcome_text(failed, None),
        outcome_text(RECORD, checks),
        outcome_text(RECORD, {"checkpoint_score": 1.0}, verdict),
    ):
        assert "refused \\x1b]0;owned\\x07xxx" in text.plain
        assert text.plain.isprintable() and len(text) < 200


def test_points_are_told_with_what_else_became_of_the_attempt() -> None:
    assert outcome_text(RECORD, {"checkpoint_score": 0.5}).plain.strip() == "50.0 points"
    late = RECORD | {"status": "timeout"}
    text = outcome_text(late, {"checkpoint_score": 0.5}, {"status": "ok", "correctness": 25.0})
    assert text.plain.strip() == "25.0 points  timeout"
