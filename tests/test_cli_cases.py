"""The cases command: its words in any order, its output and its exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mmbench import cli

NEW = ["new", "fresh", "--archetype", "artifact", "--modality", "pdf,image"]


@pytest.fixture
def suite(tmp_path: Path) -> str:
    folder, data = tmp_path / "mine", tmp_path / "data"
    folder.mkdir()
    data.mkdir()
    (data / "a.txt").write_text("a")
    (data / "b.txt").write_text("b")
    about = {"name": "mine", "description": "Cases to try.", "dataset": str(data)}
    (folder / "suite.json").write_text(json.dumps(about))
    return str(folder)


def test_a_case_is_begun_listed_and_refused_until_it_is_written(
    suite: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["cases", "--suite", suite, *NEW]) == 0
    assert "fresh/ is there and valid" in capsys.readouterr().out
    assert cli.main(["cases", "--suite", suite, "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["case"], row["archetype"], row["modality"]) == ("fresh", "artifact", "pdf, image")
    assert cli.main(["cases", "test", "--repeat", "1", "fresh", "--suite", suite]) == 4
    out = capsys.readouterr().out
    assert "solved without mm it reaches 0.0 of 100" in out
    assert "1 case, 1 failed" in out


def test_the_page_alone_goes_to_standard_output(suite: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["cases", "new", "fresh", "--suite", suite]) == 0
    capsys.readouterr()
    assert cli.main(["cases", "test", "--suite", suite, "--repeat", "1", "--markdown"]) == 4
    told = capsys.readouterr()
    assert told.out.startswith("# The suite `mine`\n")
    assert "| `fresh` | retrieval | doc | find | medium | – | not run | not run | 0.0 |" in told.out
    assert "1 failed" in told.err


@pytest.mark.parametrize(
    "words", [["test", "--repeat", "0"], ["test", "nosuch"], ["new"], ["new", "UPPER"], ["fly"]]
)
def test_wrong_words_are_usage_errors(
    suite: str, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["cases", "new", "fresh", "--suite", suite]) == 0
    assert cli.main(["cases", "--suite", suite, *words]) == 2
    assert capsys.readouterr().err.startswith("mmbench: ")
