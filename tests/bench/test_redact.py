"""No form of a secret survives, and nothing that is none is changed."""

from __future__ import annotations

import base64
import json
import string
import subprocess
import sys
from pathlib import Path
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from mmbench import ledger
from mmbench.bench import credentials
from mmbench.bench.redact import MARK, SHORTEST, Redactor, needles, normal
from mmbench.ledger import Ledger
from mmbench.records import capped
from tests.support import sessions

SECRETS = st.text(
    alphabet=string.ascii_letters + string.digits + "-_.+/=%&#'\"\\ üß", min_size=8, max_size=48
).filter(lambda text: len(text.strip()) >= 8)
TEXTS = st.text(alphabet=st.characters(blacklist_categories=("Cs",)), max_size=40)
KEY = "sk-Proj/4+9aZ%7Q"


def encoded(secret: str, shift: int) -> str:
    return base64.b64encode(b"u:x"[:shift] + secret.encode() + b"!tail"[shift:]).decode()


FORMS = {
    "plain": lambda s: s,
    "url": lambda s: quote(s, safe=""),
    "url, slashes kept": quote,
    "url, lower case": lambda s: quote(s, safe="").lower() if s.isascii() and s == s.lower() else quote(s, safe=""),
    "form": quote_plus,
    "url twice": lambda s: quote(quote(s, safe=""), safe=""),
    "json": lambda s: json.dumps(s)[1:-1],
    "json in json": lambda s: json.dumps(json.dumps(s))[1:-1],
    "base64 at 0": lambda s: encoded(s, 0),
    "base64 at 1": lambda s: encoded(s, 1),
    "base64 at 2": lambda s: encoded(s, 2),
    "base64 for urls": lambda s: encoded(s, 1).replace("+", "-").replace("/", "_"),
    "two lines": lambda s: f"{s[:4]}\n{s[4:]}",
    "many lines": "\r\n   ".join,
    "an escaped line break": lambda s: f"{s[:5]}\\n{s[5:]}",
    "base64 over lines": lambda s: "\n".join(encoded(s, 2)[i : i + 5] for i in range(0, len(encoded(s, 2)), 5)),
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=25)
@given(secret=SECRETS, before=TEXTS, after=TEXTS)
@example(secret=KEY, before="Bearer ", after="\n")
@example(secret="aaaaaaaaaaaa", before="a", after="a")
@example(secret="0000000\\", before="", after="")
@example(secret="00000%00", before="", after="")
@example(secret="00000000", before="%\n", after="")
@example(secret="0badc0ffee-1", before="100%", after="%")
@example(secret="a\\b\\\\c-0000000", before="\\", after="\\")
def test_no_form_of_a_secret_survives(form: str, secret: str, before: str, after: str) -> None:
    assume("line" not in form or not set(secret) & {" ", "\\"})  # a line break takes those around it along
    written = FORMS[form](secret)
    redactor = Redactor.of([secret])
    text = redactor.text(f"{before} {written} {after}")
    assert written not in text or written in MARK
    assert MARK in text
    assert not any(needle in normal(text) for needle in needles(secret) if len(needle) >= SHORTEST)
    assert redactor.text(text) == text


ENDLESS = """
from mmbench.bench.redact import MARK, Redactor
redactor, run = Redactor.of(["sk-0123456789"], home="/home/somebody", user="somebody"), "\\\\" * 400_000
assert redactor.text(run) == run
assert redactor.text("sk-0123456789/home/somebody" + run) == MARK + "~" + run
assert MARK in redactor.text(run + "sk-0123456789") and "~" in redactor.text("/home/somebody " + run)
"""


def test_a_run_of_backslashes_cannot_keep_the_harness_busy() -> None:
    # In a process of its own: looked for from every place in the run, it would take an hour.
    subprocess.run([sys.executable, "-c", ENDLESS], check=True, timeout=300, cwd=Path(__file__).parents[2])


@given(TEXTS)
def test_a_text_without_a_secret_is_not_changed(text: str) -> None:
    redactor = Redactor.of(
        ["S3cret-S3cret-S3cret"], home="/home/wilhelmina", user="wilhelmina", host="hal9000x"
    )
    assert redactor.text(text) == text
    assert redactor.data(text.encode()) == text.encode()


@given(st.binary(max_size=60))
def test_bytes_that_are_no_text_are_kept(data: bytes) -> None:
    assert Redactor.of([KEY]).data(data) == data


def test_short_values_are_no_secrets() -> None:
    assert Redactor.of(["local", "", "1234567"]).text("local 1234567") == "local 1234567"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("see /home/wilma/x.txt", "see ~/x.txt"),
        ("file:///home/wilma", "file://~"),
        ("%2Fhome%2Fwilma%2Fx", "~%2Fx"),
        ("/home/wilmaria/x", "/home/wilmaria/x"),
        ("-home-wilma-project", "-home-user-project"),
        ("wilma@mill7:~$", "user@host:~$"),
        ("mill7.example.org is up", "host is up"),
        ("swilma wilmas mill77", "swilma wilmas mill77"),
        ("/srv/kit/.mmbench/sandboxes/s/work", "/project/.mmbench/sandboxes/s/work"),
    ],
)
def test_names_of_the_machine_are_replaced_at_word_borders(text: str, expected: str) -> None:
    redactor = Redactor.of(
        home="/home/wilma", user="wilma", host="mill7.example.org", folders={"/srv/kit": "/project"}
    )
    assert redactor.text(text) == expected


def test_ordinary_names_stay() -> None:
    text = "root runs the agent on localhost"
    assert Redactor.of(home="/root", user="root", host="localhost").text(text) == text


def test_what_a_cut_leaves_of_a_secret_goes_too() -> None:
    redactor = Redactor.of([KEY])
    cut = capped("x" * 42 + KEY + "y" * 200, 100)
    assert KEY[:8] in cut["text"]
    found = redactor.record({"kind": "trial", "outcome": {"final_text": cut}})["outcome"]["final_text"][
        "text"
    ]
    assert KEY[:6] not in found
    assert found.count("x") == 42
    tail = {"text": f"{KEY[4:]} then", "bytes": 9, "truncated": False}
    assert redactor.record({"kind": "trial", "stderr_tail": tail})["stderr_tail"]["text"] == f"{MARK} then"


def test_a_ledger_writes_no_secret_and_stays_valid(tmp_path: Path) -> None:
    schedule = sessions.keys(1)
    redactor = Redactor.of([KEY, "completed", "synthetic"], user="case-0", home="/home/none")
    path = tmp_path / "s1.jsonl"
    with Ledger.create(path, redact=redactor.record) as book:
        book.append("session", sessions.header(schedule))
        written = book.append("trial", sessions.trial(schedule[0], text=f"the key is {KEY} of case-0"))
        book.append("end", {"reason": "error", "message": f"{KEY} was refused", "counts": {}})
    assert written["outcome"]["final_text"]["text"] == f"the key is {MARK} of user"
    assert KEY not in path.read_text()
    assert ledger.load(path).trials[schedule[0]].attempts[0].trial["status"] == "completed"


def test_an_artifact_with_a_secret_is_seen() -> None:
    redactor = Redactor.of([KEY], home="/home/wilma")
    assert redactor.hit(b"\xff\xd8" + KEY.encode())
    assert redactor.hit(b"path: /home/wilma/x")
    assert not redactor.hit(b"nothing here \xff")


def test_the_environment_names_its_secrets() -> None:
    environment = {
        "OPENAI_API_KEY": "value-of-key",
        "GH_TOKEN": "value-of-token",
        "MY_SECRET": "value-of-secret",
        "aws_session_token": "value-of-session",
        "AWS_ACCESS_KEY_ID": "AKIA-value",
        "AWS_REGION": "eu-central-1",
        "SHORT_KEY": "abc",
        "HTTPS_PROXY": "http://me:proxy-password@proxy:3128",
        "PATH": "/usr/bin:/bin",
        "KEYBOARD": "pc105-german",
    }
    assert set(credentials.from_environment(environment)) == {
        "value-of-key", "value-of-token", "value-of-secret", "value-of-session", "AKIA-value", "proxy-password",
    }  # fmt: skip


def test_credential_files_name_their_secrets(tmp_path: Path) -> None:
    (tmp_path / "auth.json").write_text(
        json.dumps(
            {"tokens": {"access_token": "at-1234567890", "expires": "2027-01-01"}, "mail": "a@b.example"}
        )
    )
    (tmp_path / "plain").write_text("machine x login y\npassword Zx81Zx81Zx81Zx81Zx81\n")
    assert set(credentials.from_file(tmp_path / "auth.json")) == {"at-1234567890", "a@b.example"}
    assert set(credentials.from_file(tmp_path / "plain")) == {"Zx81Zx81Zx81Zx81Zx81"}
    assert list(credentials.from_file(tmp_path / "missing")) == []
    found = credentials.redactor(
        ["profile-key"], {"USER": "wilma", "X_TOKEN": "env-token"}, ["auth.json"], home=tmp_path
    )
    assert set(found.secrets) == {"profile-key", "env-token", "at-1234567890", "a@b.example"}
