"""Methods are shown and compared in words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mmbench import cli, jsontext
from mmbench.bench.session import require_same_method, require_same_subject
from mmbench.errors import UsageError
from mmbench.ledger import Ledger
from mmbench.method import differences
from tests.support import sessions

A, B = "a" * 64, "b" * 64
PARTS: dict[str, Any] = {
    "suite": "embedded",
    "cases": {"one": A, "two": A},
    "dataset": A,
    "primer": {"with_mm": A, "without_mm": None},
    "limits": {"processes": 100, "timeout_s": None},
    "judge": {"mode": "off"},
}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"suite": "other"}, "suite: embedded in the first, other in the second"),
        ({"cases": {"one": B, "two": A}}, "cases: other content in one"),
        ({"cases": {"one": A}}, "cases: only in the first: two"),
        ({"cases": {"one": A, "two": A, "six": B}}, "cases: only in the second: six"),
        ({"dataset": B}, "dataset: aaaaaaaaaaaa… in the first, bbbbbbbbbbbb… in the second"),
        ({"primer": {"with_mm": B, "without_mm": None}}, "primer: other content in with_mm"),
        (
            {"limits": {"processes": 100, "timeout_s": 9.0}},
            "limits: timeout_s: nothing in the first, 9.0 in the second",
        ),
        ({"judge": {"mode": "score"}}, "judge: mode: off in the first, score in the second"),
        ({"sandbox": "process"}, "kind of sandbox: nothing in the first, process in the second"),
    ],
)
def test_each_difference_is_told_in_words(change: dict[str, Any], words: str) -> None:
    assert differences(PARTS, PARTS | change) == [words]


def test_equal_methods_do_not_differ() -> None:
    assert differences(PARTS, jsontext.loads(jsontext.dumps(PARTS))) == []


def test_a_session_of_another_method_is_not_continued() -> None:
    old = {"session": "s1", "method": {"parts": PARTS}}
    require_same_method(old, PARTS)
    with pytest.raises(UsageError, match=r"s1 cannot be continued.*kind of sandbox"):
        require_same_method(old, PARTS | {"sandbox": "process"})


def test_a_session_of_another_cli_version_is_not_continued(monkeypatch: pytest.MonkeyPatch) -> None:
    from mmbench.bench import session

    header = sessions.header(sessions.keys(1))
    now = header["subject"] | {"agent": header["subject"]["agent"] | {"version": "2.0.0"}}
    monkeypatch.setattr(session, "_subject", lambda subject: subject)
    require_same_subject(header, header["subject"])
    with pytest.raises(UsageError, match=r"agent: version: nothing in the first, 2\.0\.0 in the second"):
        require_same_subject(header, now)


def write(results: Path, name: str, judge: str = "off") -> None:
    with Ledger.create(results / f"{name}.jsonl") as book:
        book.append("session", sessions.header(sessions.keys(1), session=name, judge=judge))


def test_the_command_shows_and_compares(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, judge in (("s1", "off"), ("s2", "off"), ("s3", "score")):
        write(tmp_path, name, judge)
    assert cli.main(["method", "show", "s3", "--results", str(tmp_path)]) == 0
    assert "judge: mode score" in capsys.readouterr().out
    assert cli.main(["method", "diff", "s1", "s2", "--results", str(tmp_path)]) == 0
    assert "they can be compared" in capsys.readouterr().out
    assert cli.main(["method", "diff", "s1", "s3", "--results", str(tmp_path)]) == 0
    assert "judge: mode: off in the first, score in the second" in capsys.readouterr().out
    assert cli.main(["method", "diff", "s1", "--results", str(tmp_path)]) == 2
    assert cli.main(["method", "show", "s4", "--results", str(tmp_path)]) == 2
    assert "Did you mean" in capsys.readouterr().err
