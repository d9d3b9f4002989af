"""What a continued session runs, and that nothing secret is written, with real sessions of a shell agent."""

from __future__ import annotations

import errno
import gzip
import json
import os
import signal
from pathlib import Path

import pytest

from mmbench import cli, ledger
from mmbench.bench import preflight
from mmbench.bench.preflight import Passed
from mmbench.bench.sandbox import Sandbox
from tests.support import tiny
from tests.support.judge_endpoint import JudgeEndpoint, score
from tests.support.tiny import Place

KEY = "zX9-secret-value-42"
REFUSED = 'if [ {} ]; then echo "401 Unauthorized: invalid api key" >&2; exit 1; fi\n'


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    made = tiny.make(tmp_path)
    for name, value in made.environment().items():
        monkeypatch.setenv(name, value)
    return made


def test_a_retry_runs_failed_trials_only_and_keeps_the_attempts(place: Place) -> None:
    place.agent(
        f"echo x >> {place.root}/count\n" + REFUSED.format(f"$(wc -l < {place.root}/count) -le 1") + tiny.GOOD
    )
    assert cli.main(place.words()) == 1
    first = ledger.load(place.ledger)
    failed = [key for key, trial in first.trials.items() if trial.last and not trial.last.graded]
    assert len(failed) == 1
    assert cli.main(place.words("--rejudge")) == 1
    assert (place.root / "count").read_text().count("x") == 4
    assert cli.main(place.words("--retry")) == 0
    final = ledger.load(place.ledger)
    assert {key: len(trial.attempts) for key, trial in final.trials.items()} == {
        key: 2 if key in failed else 1 for key in final.trials
    }
    assert (place.root / "count").read_text().count("x") == 5
    assert place.ledger.read_bytes().startswith(b'{"kind":"session"')


def test_a_session_goes_on_with_its_own_cases_and_variants(place: Place) -> None:
    suite = place.root / "suite" / "cases.jsonl"
    first, second = map(json.loads, suite.read_text().splitlines())
    first["variants"] = [{"id": "hard", "obstacle": "missing_tool", "tool": "sort"}]
    suite.write_text(f"{json.dumps(first)}\n{json.dumps(second)}\n")
    place.agent(f"echo x >> {place.root}/count\n{REFUSED.format(f'-e {place.root}/broken')}{tiny.GOOD}")
    (place.root / "broken").touch()
    assert cli.main(place.words("--variants", "--cases", "word-0")) == 1
    (place.root / "broken").unlink()
    assert cli.main(place.words("--retry", "--cases", "word-1")) == 0
    final = ledger.load(place.ledger)
    assert {key.case for key in final.trials} == {"word-0", "word-0.hard"}
    assert (place.root / "count").read_text().count("x") == 8


def test_rejudge_asks_for_missing_verdicts_and_runs_nothing(place: Place) -> None:
    place.agent(f"echo x >> {place.root}/count\n{tiny.GOOD}")
    with JudgeEndpoint(score(4), faults=dict.fromkeys(range(2, 20), "refusal")) as judge:
        words = place.words("--judge.model", "judge-model", "--judge.base-url", judge.base_url)
        words[words.index("off")] = "score"
        words += ["--judge.api-key", "judge-key-1"]
        assert cli.main(words) == 1
        assert ledger.load(place.ledger).states() == {"completed": 1, "judge_failed": 1, "queued": 2}
        asked = len(judge.questions)
        judge.faults.clear()
        assert cli.main([*words, "--rejudge"]) == 1
        assert ledger.load(place.ledger).states() == {"completed": 2, "queued": 2}
        assert len(judge.questions) == asked + 1
        assert (place.root / "count").read_text().count("x") == 2
        assert cli.main([*words, "--resume"]) == 0
    assert ledger.load(place.ledger).states() == {"completed": 4}


def test_a_sandbox_that_cannot_be_removed_ends_the_session_with_the_reason(
    place: Place, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def busy(self: Sandbox) -> None:
        raise OSError(errno.EBUSY, os.strerror(errno.EBUSY), str(self.root))

    with monkeypatch.context() as broken:
        broken.setattr(Sandbox, "remove", busy)
        assert cli.main(place.words()) == 3
    assert "resource busy" in capsys.readouterr().err
    first = ledger.load(place.ledger)
    assert first.ends[-1]["reason"] == "error"
    assert first.states() == {"completed": 1, "queued": 3}
    assert cli.main(place.words("--resume")) == 0
    assert ledger.load(place.ledger).states() == {"completed": 4}


@pytest.mark.parametrize("command", ["bench", "check"])
def test_an_interruption_before_the_first_trial_leaves_no_session(
    command: str, place: Place, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object) -> list[Passed]:
        os.kill(os.getpid(), signal.SIGINT)
        return []

    monkeypatch.setattr(preflight, "profile", lambda _: Passed("profile", "not asked"))
    monkeypatch.setattr(preflight, "arms", interrupted)
    words = [word for word in place.words(agent="nop") if word != "--skip-preflight"]
    assert cli.main([command, *words[1:]]) == 130
    assert "Interrupted before the first trial" in capsys.readouterr().err
    assert not list(place.results.glob("*.jsonl"))


def test_a_check_that_holds_says_what_runs_it(
    place: Place, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(preflight, "profile", lambda _: Passed("profile", "not asked"))
    monkeypatch.setattr(preflight, "arms", lambda *_: [])
    words = [word for word in place.words(agent="nop") if word != "--skip-preflight"]
    assert cli.main(["check", *words[1:]]) == 0
    assert "Everything is in place" in capsys.readouterr().err
    assert not list(place.results.glob("*.jsonl"))


def test_retry_and_rejudge_exclude_each_other(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(place.words("--retry", "--rejudge")) == 2
    assert "exclude each other" in capsys.readouterr().err


def test_no_secret_of_the_environment_is_written_anywhere(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SERVICE_TOKEN", KEY)
    place.agent(f'echo "heron {KEY} in {place.root}/state"; echo {KEY} >&2; echo {KEY} > out.txt\n')
    assert cli.main(place.words()) == 0
    written = place.ledger.read_text()
    assert KEY not in written
    assert "heron [redacted] in /project/.mmbench" in written
    assert "it holds a secret" in written
    assert not list(place.results.glob("artifacts/**/*out.txt"))
    streams = [gzip.decompress(path.read_bytes()) for path in place.state.glob("streams/*/*.gz")]
    assert len(streams) == 8
    assert not [data for data in streams if KEY.encode() in data]


def test_auto_clean_leaves_records_and_artifacts_only(place: Place) -> None:
    assert cli.main(place.words("--auto-clean", "--keep-sandboxes")) == 0
    assert not list(place.state.glob("streams/*"))
    assert not list(place.state.glob("sandboxes/*"))
    assert len(list(place.results.glob("artifacts/*/*out.txt"))) == 1
    assert ledger.load(place.ledger).finished
