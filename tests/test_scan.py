"""Keys of known forms stop publishing; hashes and prose do not; the key itself is never shown."""

from __future__ import annotations

import base64
import re
from pathlib import Path

import pytest

from mmbench import cli, scan
from mmbench.errors import DataError
from mmbench.ledger import Ledger
from tests.support import sessions, synthetic

# Put together here, so that no scanner takes this file for a leak.
KEYS = {
    "GitHub Token": "ghp" + "_" + "a1B2" * 9,
    "AWS Access Key": "AKIA" + "IOSFODNN7ABCDEFG",
    "Anthropic key": "sk-" + "ant-api03-" + "Ab1_" * 10,
    "OpenRouter key": "sk-" + "or-v1-" + "0a1b" * 16,
    "OpenAI project key": "sk-" + "proj-" + "Ab1_" * 12,
    "Google API key": "AI" + "za" + "Sy12345" * 5,
    "Hugging Face token": "hf" + "_" + "AbCdEfGhIj" * 3 + "KlMn",
    "Private Key": "-----BEGIN " + "RSA PRIVATE KEY-----",
    "Basic Auth Credentials": "https://me:" + "pass1234@" + "host.example",
    "JSON Web Token": ".".join(
        base64.urlsafe_b64encode(part).decode().rstrip("=")
        for part in (b'{"alg":"HS256","typ":"JWT"}', b'{"sub":"1234567890"}', b"signature-signature")
    ),
}  # fmt: skip


def ledger_with(folder: Path, text: str) -> None:
    schedule = sessions.keys(1)
    with Ledger.create(folder / "s1.jsonl") as book:
        book.append("session", sessions.header(schedule))
        book.append("trial", sessions.trial(schedule[0], text=text))


@pytest.mark.parametrize("kind", KEYS)
def test_each_kind_of_key_is_found_and_not_shown(kind: str, tmp_path: Path) -> None:
    ledger_with(tmp_path, f'I ran curl -H "x: {KEYS[kind]}" and it worked')
    with pytest.raises(DataError) as stopped:
        scan.require_clean(tmp_path)
    shown = str(stopped.value)
    assert f"{tmp_path.name}/s1.jsonl:2: looks like a secret ({kind}" in shown
    assert KEYS[kind] not in shown
    assert KEYS[kind][8:] not in shown


@pytest.mark.parametrize(
    ("kind", "key"),
    [
        ("Google API key", "AI" + "za" + "Sy1234-" * 4 + "abcdef-"),
        ("Hugging Face token", "hf" + "_" + "Ab1C" * 8 + "dE"),
    ],
)
def test_a_key_is_found_whichever_characters_it_ends_with(kind: str, key: str) -> None:
    assert (kind, key) in set(scan.text(f'"{key}"'))


def test_cases_and_artifacts_are_looked_at_too(tmp_path: Path) -> None:
    key = KEYS["GitHub Token"]
    for name in ("cases/c.json", "artifacts/s1/deep/out.txt"):
        path = tmp_path / name
        path.parent.mkdir(parents=True)
        path.write_text(f"first\n{key}\n")
    found = scan.results(tmp_path)
    assert [(finding.file.partition("/")[2], finding.line) for finding in found] == [
        ("artifacts/s1/deep/out.txt", 2), ("cases/c.json", 2),
    ]  # fmt: skip


def test_a_realistic_history_is_clean(tmp_path: Path) -> None:
    synthetic.tree(tmp_path, synthetic.SMALL, synthetic.write_fast)
    assert scan.results(tmp_path) == []


def test_a_false_alarm_can_be_allowed_by_its_mark(tmp_path: Path) -> None:
    ledger_with(tmp_path, KEYS["AWS Access Key"])
    (finding,) = scan.results(tmp_path)
    (tmp_path / scan.ALLOWED).write_text(f"# looked at\n{finding.mark}  # an example of the documentation\n")
    scan.require_clean(tmp_path)
    (tmp_path / scan.ALLOWED).write_text("0123456789abcdef\n")
    with pytest.raises(DataError):
        scan.require_clean(tmp_path)


def test_a_file_that_was_clean_is_looked_at_again_once_it_grows(tmp_path: Path) -> None:
    cache = tmp_path / "state" / "scan.json"
    results = tmp_path / "results"
    ledger_with(results, "nothing")
    assert scan.results(results, cache) == []
    looked: list[Path] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scan, "_file", lambda path, folder: looked.append(path) or iter(()))
        assert scan.results(results, cache) == []
    assert looked == []
    with (results / "s1.jsonl").open("a") as file:
        file.write(f'{{"x": "{KEYS["GitHub Token"]}"}}\n')
    assert [finding.line for finding in scan.results(results, cache)] == [3]
    assert [finding.line for finding in scan.results(results, cache)] == [3]
    cache.write_text("{")
    assert len(scan.results(results, cache)) == 1


def test_a_finding_stops_the_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MMBENCH_STATE", str(tmp_path / "state"))
    ledger_with(tmp_path / "results", KEYS["GitHub Token"])
    out = tmp_path / "site"
    words = ["--results", str(tmp_path / "results")]
    assert cli.main(["report", "--out", str(out), *words]) == 4
    assert cli.main(["scan", *words]) == 4
    assert not out.exists()
    assert KEYS["GitHub Token"] not in capsys.readouterr().err


def test_no_form_is_bound_to_a_line() -> None:
    """Files are first searched as a whole: an anchor in a later detect-secrets would hide keys there."""
    for kind, analyze in scan._detectors():
        detector = analyze.__self__
        for pattern in [detector] if isinstance(detector, re.Pattern) else detector.denylist:
            bare = re.sub(r"\[(?:\\.|[^\]\\])*\]|\\[^AZzbB]", "", pattern.pattern)
            assert not re.search(r"[\^$]|\\[AZz]", bare), (kind, pattern.pattern)
