"""Real sessions of a shell agent with a scripted judge: what fails, what is asked again, what is voided."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mmbench import cli, ledger, records, validation
from mmbench.bench.judge import panel
from mmbench.bench.judge.retry import Patience
from tests.bench.judge.samples import SECRET
from tests.support import tiny
from tests.support.judge_endpoint import JudgeEndpoint, score
from tests.support.tiny import Place

BROKEN = dict.fromkeys(range(5, 99), "500")
"""From the fifth verdict on."""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    made = tiny.make(tmp_path, cases=4)
    for name, value in made.environment().items():
        monkeypatch.setenv(name, value)
    made.agent(f"echo x >> {made.root}/count\n{tiny.GOOD}")
    impatient = Patience(first_s=0.01)
    monkeypatch.setattr(panel.Judge, "of", classmethod(lambda cls, config: _quick(cls, config, impatient)))
    return made


def _quick(cls: type[panel.Judge], config: Any, patience: Patience) -> panel.Judge:
    client = (panel.Client(config.wire, config.base_url, model, config.api_key) for model in config.models)
    return cls(config, tuple(client), patience)


def judged(endpoint: JudgeEndpoint, *more: str) -> tuple[str, ...]:
    place = ("--judge.model", "m", "--judge.base-url", endpoint.base_url, "--judge.api-key", SECRET)
    return ("--judge", "score", *place, "--seed", "3", *more)


def runs_of_the_agent(place: Place) -> int:
    return (place.root / "count").read_text().count("x")


def lines(place: Place) -> list[dict[str, Any]]:
    return [json.loads(line) for line in place.ledger.read_bytes().split(b"\n")[:-1]]


def test_resume_makes_exactly_the_missing_calls(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    with JudgeEndpoint(score(4), BROKEN) as endpoint:
        assert cli.main(place.words(*judged(endpoint))) == 1
        said = capsys.readouterr().err
        assert len(endpoint.questions) == 4 + 3, "the fifth is tried three times, then the session stops"
        first = ledger.load(place.ledger)
        assert first.states() == {"completed": 4, "judge_failed": 1, "queued": 3}
        assert first.ends[-1]["reason"] == "judge_failed"
        assert "--resume" in said
        assert "KEY" in said
        ran, before, failed = runs_of_the_agent(place), len(endpoint.questions), endpoint.questions[4].body

        endpoint.faults = {}
        assert cli.main(place.words(*judged(endpoint, "--resume"))) == 0
    assert ran == 5
    assert runs_of_the_agent(place) == 8
    assert len(endpoint.questions) - before == 4, "one verdict again, three for the missing trials"
    assert endpoint.questions[before].body == failed, "asked for again with the same bytes"
    final = ledger.load(place.ledger)
    assert final.states() == {"completed": 8}
    assert {trial.last.correctness for trial in final.trials.values() if trial.last} == {90.0}
    assert all(len(trial.attempts) == 1 for trial in final.trials.values())
    text = place.ledger.read_text()
    assert SECRET not in text + said
    parts = final.header["method"]["parts"]["judge"]
    assert (parts["mode"], parts["models"], parts["wire"]) == ("score", ["m"], "openai")


def test_of_a_panel_resume_asks_only_the_member_that_failed(place: Place) -> None:
    broken = True
    with JudgeEndpoint(lambda q: "" if broken and q.model == "n" else '{"score": 4}') as endpoint:
        words = place.words(*judged(endpoint, "--judge.model", "m,n", "--cases", "word-0"))
        assert cli.main(words) == 1
        broken, before = False, len(endpoint.questions)
        assert cli.main([*words, "--resume"]) == 0
    assert [question.model for question in endpoint.questions[before:]] == ["n", "m", "n"]
    final = ledger.load(place.ledger)
    assert final.states() == {"completed": 2}
    verdicts = [line for line in lines(place) if line["kind"] == "verdict"]
    assert [line["status"] for line in verdicts] == ["failed", "ok", "ok"]
    assert verdicts[1]["calculation"].startswith(f"m as in line {verdicts[0]['seq']}; median(4, 4)")
    assert validation.ledger_faults(place.ledger) == []


def test_the_outcome_and_its_checks_are_written_before_the_judge_is_asked(place: Place) -> None:
    kinds: list[list[str]] = []

    def speak(_question: object) -> str:
        kinds.append([line["kind"] for line in lines(place)])
        return '{"score": 3, "reason": ""}'

    with JudgeEndpoint(speak) as endpoint:
        assert cli.main(place.words(*judged(endpoint, "--cases", "word-0"))) == 0
    assert kinds[0] == ["session", "trial", "checks"]
    assert kinds[1][-3:] == ["verdict", "trial", "checks"]


def test_a_judge_that_is_still_broken_runs_no_agent(place: Place) -> None:
    with JudgeEndpoint(score(4), BROKEN) as endpoint:
        assert cli.main(place.words(*judged(endpoint))) == 1
        ran = runs_of_the_agent(place)
        assert cli.main(place.words(*judged(endpoint, "--resume"))) == 1
    assert runs_of_the_agent(place) == ran
    assert ledger.load(place.ledger).states()["judge_failed"] == 1


def test_a_broken_judge_voids_its_whole_run_where_that_is_wanted(place: Place) -> None:
    with JudgeEndpoint(score(4), BROKEN) as endpoint:
        words = place.words(
            *judged(endpoint, "--runs", "2", "--cases", "word-0,word-1", "--void-on-judge-failure")
        )
        assert cli.main(words) == 1
        broken = ledger.load(place.ledger)
        (void,) = broken.voids
        assert (void["case"], void["arm"]) == (None, None)
        assert all(bool(trial.voided) == (trial.key.run == void["run"]) for trial in broken.trials.values())
        endpoint.faults = {}
        assert cli.main([*words, "--resume"]) == 1
    final = ledger.load(place.ledger)
    assert final.finished
    other = [trial for trial in final.trials.values() if trial.key.run != void["run"]]
    assert {records.state(final, trial) for trial in other} == {"completed"}


def test_timeouts_and_empty_answers_are_never_sent(place: Place) -> None:
    place.agent("cp word.txt out.txt\n")
    with JudgeEndpoint() as endpoint:
        assert cli.main(place.words(*judged(endpoint, "--cases", "word-0"))) == 0
    assert not endpoint.asked
    verdicts = [line for line in lines(place) if line["kind"] == "verdict"]
    assert {(line["status"], line["score"]) for line in verdicts} == {("not_asked", 0)}


def test_the_judge_sees_the_file_that_the_agent_wrote(place: Place) -> None:
    place.agent("echo egret > out.txt; echo a note > note.txt; echo heron\n")
    with JudgeEndpoint() as endpoint:
        assert cli.main(place.words(*judged(endpoint, "--cases", "word-0"))) == 0
    text = endpoint.questions[0].text
    assert "### out.txt (6 bytes)\negret" in text
    assert "### note.txt (7 bytes)\na note" in text
    assert "added: out.txt (file, 6 bytes)" in text


def test_no_key_stops_before_anything_runs(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(place.words("--judge", "score")) == 3
    assert "--judge off" in capsys.readouterr().err
    assert not list(place.results.glob("*.jsonl"))


def test_a_judge_that_cannot_be_reached_stops_in_the_preflight(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    with JudgeEndpoint() as endpoint:
        gone = judged(endpoint)
    words = [word for word in place.words(*gone) if word != "--skip-preflight"]
    assert cli.main(words) == 3
    assert "The judge m cannot be asked" in capsys.readouterr().err
    assert not list(place.results.glob("*.jsonl"))


def test_another_judge_is_another_method(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    with JudgeEndpoint(score(4), BROKEN) as endpoint:
        assert cli.main(place.words(*judged(endpoint))) == 1
        assert cli.main(place.words(*judged(endpoint, "--judge.model", "other", "--resume"))) == 2
    said = capsys.readouterr().err
    assert "cannot be continued" in said
    assert "judge" in said


def test_criteria_are_judged_too(place: Place) -> None:
    with JudgeEndpoint(lambda _question: '{"reason": "", "criteria": {"objective": 7}}') as endpoint:
        assert cli.main(place.words(*judged(endpoint, "--judge", "criteria", "--cases", "word-0"))) == 0
    verdicts = [line for line in lines(place) if line["kind"] == "verdict"]
    assert {line["score"] for line in verdicts} == {3.5}
