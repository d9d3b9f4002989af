"""Agents that print or do the worst: each is recorded sanely, and none stops the session.

The agent is a shell that runs the script in its prompt, declared in a TOML file and run by the real command.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import psutil
import pytest

from mmbench import cli, ledger
from mmbench.bench import driving
from mmbench.bench.process import Limits
from mmbench.layout import project
from tests.test_case import DOCUMENT

KEPT = 1 << 20
FLOOD = 3 * KEPT
SLEEP = "86123.25"
"""Seconds that no other process sleeps for."""

CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")

AGENT = """\
name = "{name}"
adapter_version = "1"
argv = ["sh", "-c", "sed -n '/^#begin$/,$p' > \\"$TMPDIR/act.sh\\"; exec sh \\"$TMPDIR/act.sh\\""]
version_argv = []
wire = "openai-chat"
stdin = "{{prompt}}"

[endpoint_env]
AGENT_KEY = "{{api_key}}"

[output]
{output}
"""
TEXT = 'format = "text"'
LINES = """\
format = "jsonl"
end = { type = "end" }
text = { where = { type = "end" }, path = "text" }
"""
PROFILE = (
    "--profile.base-url",
    "http://127.0.0.1:9/v1",
    "--profile.model",
    "none",
    "--profile.api-key",
    "nothing",
)

SCRIPTS = {
    "nothing": "exit 0",
    "not-utf8": r"printf 'caf\351 \377\376 end\n'",
    "nul": r"printf 'one\000two\n'",
    "escapes": r"printf '\033[31mred\033[0m \033]0;owned\007\033]8;;http://x\033\\link\033]8;;\033\\ \233 end\n'",
    "surrogate": r"""printf '{"type": "end", "text": "lone \\ud800 here"}\n'""",
    "half-a-line": r"""printf '{"type": "start"}\n{"type": "end", "text": "ha'""",
    "deep": "yes '[' | head -n 100000 | tr -d '\\n'; echo",
    "not-finite": r"""printf '{"type": "end", "text": "fine", "n": NaN, "m": 1e999}\n'""",
    "flood": f"head -c {FLOOD} /dev/zero | tr '\\0' x; printf '\\n{{\"type\": \"end\", \"text\": \"after it\"}}\\n'",
    "daemon": f"setsid sleep {SLEEP} > /dev/null 2>&1 & (sleep {SLEEP} &) ; echo left",
    "read-only": 'mkdir -p "$HOME/.config/own"; echo x > "$HOME/.config/own/file"; chmod -R a-w "$HOME" .; echo kept',
    "too-deep": "n=0; while [ $n -lt 250 ]; do mkdir {0} && cd {0}; n=$((n + 1)); done; echo dug".format("d" * 20),
    "killed": "kill -SEGV $$",
    "key": 'printf "%s\\n" "$AGENT_KEY"; printf "%s\\n" "$AGENT_KEY" > key.txt',
}  # fmt: skip


@pytest.fixture(autouse=True)
def _state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Use the project's mm and nothing else of its state, and keep little of a stream."""
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / "mm").symlink_to(project().state / "mm")
    monkeypatch.setenv("MMBENCH_STATE", str(tmp_path / "state"))
    # A flood is what is over the limit, however low that is.
    monkeypatch.setattr(driving, "Limits", partial(Limits, kept_bytes=KEPT))


def session(
    folder: Path, output: str, scripts: dict[str, str], *more: str
) -> dict[str, list[dict[str, Any]]]:
    """Run every script as a case of one session; return the trials of each by arm, and check the book."""
    (folder / "files").mkdir()
    (folder / "files" / "word.txt").write_text("heron\n")
    (folder / "suite").mkdir()
    about = {"name": "hostile", "dataset": str(folder / "files"), "description": "Hostile."}
    (folder / "suite" / "suite.json").write_text(json.dumps(about))
    cases = [
        DOCUMENT | {"id": name, "dataset": ".", "prompt": f"Do it.\n#begin\n{script}\n"}
        for name, script in scripts.items()
    ]
    (folder / "suite" / "cases.jsonl").write_text("".join(json.dumps(case) + "\n" for case in cases))
    agent = folder / "hostile.toml"
    agent.write_text(AGENT.format(name="hostile", output=output))
    given = ("--suite", str(folder / "suite"), "--results", str(folder / "results"), *PROFILE, *more)
    cli.main(["bench", str(agent), *given, "--judge", "off", "--skip-preflight"])
    (path,) = (folder / "results").glob("*.jsonl")
    book = ledger.load(path)
    assert ledger.load(path).ends[-1]["reason"] == "complete"
    assert book.header["provenance"]["preflight"] == "skipped"
    assert_sane(path.read_bytes())
    trials: dict[str, list[dict[str, Any]]] = {}
    for key, trial in sorted(book.trials.items()):
        assert trial.last is not None, key
        trials.setdefault(key.case, []).append(dict(trial.last.trial))
    return trials


def assert_sane(data: bytes) -> None:
    """Check that a results file is plain: UTF-8, strict JSON, no control character in any text."""
    for line in data.decode("utf-8").splitlines():
        for text in texts(json.loads(line, parse_constant=pytest.fail)):
            assert not CONTROL.search(text), text[:300]


def texts(value: Any) -> Iterator[str]:
    """Yield every text inside a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for item in [*value, *value.values()] if isinstance(value, dict) else value:
            yield from texts(item)


def ended(trial: dict[str, Any]) -> tuple[str, str | None, str]:
    failure = trial["failure"]
    return trial["status"], failure and failure["kind"], trial["outcome"]["final_text"]["text"]


def test_a_session_of_plain_text(tmp_path: Path) -> None:
    trials = session(tmp_path, TEXT, SCRIPTS)
    both = {name: [ended(trial) for trial in arms] for name, arms in trials.items()}
    assert {name: len(set(arms)) for name, arms in both.items()} == dict.fromkeys(SCRIPTS, 1)
    seen = {name: arms[0] for name, arms in both.items()}
    assert seen["nothing"] == ("no_answer", "no_answer", "")
    assert seen["not-utf8"] == ("completed", None, "caf\ufffd \ufffd\ufffd end")
    assert seen["nul"][2] == "onetwo"
    assert seen["escapes"][2].split()[0] == "red"
    assert seen["escapes"][2].split()[-1] == "end"
    assert "owned" not in seen["escapes"][2]
    assert seen["daemon"] == ("completed", None, "left")
    assert seen["read-only"] == ("completed", None, "kept")
    assert seen["too-deep"] == ("completed", None, "dug")
    assert seen["killed"][:2] == ("agent_error", "crash")
    assert not [
        process for process in psutil.process_iter(["cmdline"]) if SLEEP in (process.info["cmdline"] or [])
    ]
    (flood, _) = trials["flood"]
    assert flood["streams"]["stdout"]["truncated"]
    assert flood["streams"]["stdout"]["bytes"] > FLOOD
    assert flood["outcome"]["final_text"]["truncated"]
    assert not list((tmp_path / "state" / "sandboxes").iterdir())


def test_a_session_of_json_lines(tmp_path: Path) -> None:
    names = ("nothing", "nul", "surrogate", "half-a-line", "deep", "not-finite", "flood")
    trials = session(tmp_path, LINES, {name: SCRIPTS[name] for name in names})
    seen = {name: ended(arms[0]) for name, arms in trials.items()}
    assert seen["surrogate"] == ("completed", None, "lone \ufffd here")
    assert seen["flood"] == ("completed", None, "after it")
    assert seen["half-a-line"][0] != "completed"
    assert trials["half-a-line"][0]["usage"]["lower_bound"]
    for name in ("nothing", "nul", "deep"):
        assert trials[name][0]["outcome"]["parse"] == "unknown"
        assert seen[name][0] != "completed"
    assert seen["not-finite"][0] in ("completed", "infra_error")


def test_a_key_with_a_line_break_gets_into_nothing_that_is_kept(tmp_path: Path) -> None:
    key = "sk-first-half-of-it\nsecond-half-of-it"
    options = ("--agent.base-url", "http://127.0.0.1:9", "--agent.api-key", key, "--model", "none")
    trials = session(tmp_path, TEXT, {"key": SCRIPTS["key"]}, *options)
    assert [trial["status"] for trial in trials["key"]] == ["completed"] * 2
    for path in (tmp_path / "results").rglob("*"):
        if path.is_file():
            assert b"first-half" not in path.read_bytes(), path
            assert b"second-half" not in path.read_bytes(), path


@pytest.mark.live
def test_two_gigabytes_are_drained_and_not_kept(tmp_path: Path) -> None:
    size = 2 << 30
    script = (
        f'head -c {size} /dev/zero | tr \'\\0\' x; printf \'\\n{{"type": "end", "text": "after it"}}\\n\''
    )
    trials = session(tmp_path, LINES, {"flood": script, "after": SCRIPTS["surrogate"]})
    assert [ended(trial) for trial in trials["flood"]] == [("completed", None, "after it")] * 2
    assert all(trial["streams"]["stdout"]["bytes"] > size for trial in trials["flood"])
    assert [trial["status"] for trial in trials["after"]] == ["completed"] * 2
