from __future__ import annotations

from pathlib import Path

import docx
import pytest

from mmbench.bench.judge import left
from mmbench.errors import DataError
from tests.bench.judge import samples
from tests.bench.judge.samples import artifact, change

PNG = b"\x89PNG\r\n\x1a\n" + b"0" * 50


def test_stored_text_is_shown_and_bounded(tmp_path: Path) -> None:
    small = artifact(tmp_path, "out.csv", b"a,b\n1,2\n", "text/csv")
    large = artifact(tmp_path, "big.csv", b"x" * 100_000, "text/csv")
    seen = left.of_trial(samples.trial(artifacts=[small, large]), tmp_path)
    assert "### out.csv (8 bytes)\na,b\n1,2" in seen.artifacts
    assert "characters cut" in seen.artifacts
    assert len(seen.artifacts) < left.MAX_DOCUMENT + 500


def test_all_files_together_are_bounded_too(tmp_path: Path) -> None:
    many = [artifact(tmp_path, f"{n}.txt", f"{n}".encode() * 20_000, "text/plain") for n in range(9)]
    seen = left.of_trial(samples.trial(artifacts=many), tmp_path)
    assert len(seen.artifacts) < left.MAX_DOCUMENTS + 2_000
    assert "left out" in seen.artifacts


def test_pictures_are_shown_as_pictures_and_others_are_named(tmp_path: Path) -> None:
    files = [
        artifact(tmp_path, "plot.png", PNG, "image/png"),
        artifact(tmp_path, "sound.wav", b"RIFF\xff\xfe\x00\x01", "audio/x-wav"),
    ]
    seen = left.of_trial(samples.trial(artifacts=files), tmp_path)
    assert [(image.label, image.data) for image in seen.images] == [("picture 1", PNG)]
    assert "### plot.png (58 bytes)\n(see picture 1)" in seen.artifacts
    assert "(audio/x-wav, its content cannot be shown as text)" in seen.artifacts


def test_no_more_pictures_than_the_limit(tmp_path: Path) -> None:
    files = [artifact(tmp_path, f"{n}.png", PNG + bytes([n]), "image/png") for n in range(6)]
    assert len(left.of_trial(samples.trial(artifacts=files), tmp_path).images) == left.MAX_IMAGES


def test_a_word_file_is_shown_as_its_text(tmp_path: Path) -> None:
    document = docx.Document()
    document.add_paragraph("Agreement between Heron Ltd and Egret AS")
    document.save(str(tmp_path / "x.docx"))
    data = (tmp_path / "x.docx").read_bytes()
    files = [
        artifact(tmp_path, "deal.docx", data, "application/msword"),
        artifact(tmp_path, "bad.docx", b"PK", "x"),
    ]
    text = left.of_trial(samples.trial(artifacts=files), tmp_path).artifacts
    assert "Agreement between Heron Ltd and Egret AS" in text
    assert "(it cannot be read:" in text


def test_what_was_refused_says_why(tmp_path: Path) -> None:
    entry = artifact(tmp_path, "out", b"x", "x") | {"stored": None, "refused": "it is a symlink"}
    assert (
        "(not kept: it is a symlink)" in left.of_trial(samples.trial(artifacts=[entry]), tmp_path).artifacts
    )


@pytest.mark.parametrize("stored", ["artifacts/s1/gone", "../outside", "artifacts/../secret", "cases/x"])
def test_an_artifact_that_is_not_as_it_was_is_an_error(tmp_path: Path, stored: str) -> None:
    results = tmp_path / "results"
    entry = artifact(results, "out.txt", b"x", "text/plain")
    for place in (tmp_path / "outside", results / "secret"):
        place.write_bytes(b"x")
    with pytest.raises(DataError, match="not there as it was"):
        left.of_trial(samples.trial(artifacts=[entry | {"stored": stored}]), results)


def test_a_changed_artifact_is_an_error(tmp_path: Path) -> None:
    entry = artifact(tmp_path, "out.txt", b"x", "text/plain")
    (tmp_path / entry["stored"]).write_bytes(b"y")
    with pytest.raises(DataError, match="not there as it was"):
        left.of_trial(samples.trial(artifacts=[entry]), tmp_path)


def test_moves_are_told_as_moves() -> None:
    lines = list(
        left.changes(
            samples.tree(
                change("a.jpg", "deleted", sha="1" * 64),
                change("b.jpg", "deleted", sha="1" * 64),
                change("gone.txt", "deleted", sha="2" * 64),
                change("x", kind="directory", size=0),
                change("x/a.jpg", sha="1" * 64),
                change("y.csv", sha="3" * 64, size=1234),
                change("z.csv", "modified", sha="4" * 64),
            )
        )
    )
    assert lines == [
        "moved: a.jpg -> x/a.jpg",
        "deleted: b.jpg (file)",
        "deleted: gone.txt (file)",
        "added: x (folder)",
        "added: y.csv (file, 1,234 bytes)",
        "modified: z.csv (file, 5 bytes)",
    ]


def test_changes_are_bounded_and_counted() -> None:
    many = samples.tree(*(change(f"f{n}") for n in range(500)), dropped=7)
    lines = list(left.changes(many))
    assert len(lines) == left.MAX_CHANGES + 1
    assert lines[-1] == "and 207 more changes"


def test_how_a_run_ended_is_told_when_it_was_not_well(tmp_path: Path) -> None:
    crashed = samples.trial(status="agent_error", failure={"kind": "crash", "message": "exit code 1"})
    assert left.of_trial(crashed, tmp_path).ending == "agent_error: crash: exit code 1"
    assert left.of_trial(samples.trial(), tmp_path).ending == ""


def test_escape_sequences_and_long_answers_are_taken_out(tmp_path: Path) -> None:
    seen = left.of_trial(samples.trial("\x1b[31mred\x1b[0m" + "y" * 90_000), tmp_path)
    assert seen.answer.startswith("redy")
    assert len(seen.answer) < left.MAX_ANSWER + 100


def test_the_question_to_the_user_is_shown_with_its_fate(tmp_path: Path) -> None:
    text = {"text": "Which rate?\n", "bytes": 12, "truncated": False}
    said = {"question": text, "asked_s": 1.0, "changed_before": 0, "answered_s": 2.0, "refused": None}
    shown = "## QUESTION TO THE USER\nWhich rate?\n({})\n"
    seen = [
        left.of_trial(samples.trial() | more, tmp_path).text
        for more in (
            {},
            {"clarification": said},
            {"clarification": said | {"answered_s": None}},
            {"clarification": said | {"question": None}},
        )
    ]
    assert "QUESTION TO THE USER" not in seen[0]
    assert shown.format("It was answered.") in seen[1]
    assert shown.format("The run ended before the answer.") in seen[2]
    assert "## QUESTION TO THE USER\nNone was asked." in seen[3]
