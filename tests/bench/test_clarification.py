"""The user of a clarification case: one question is heard, one answer given, whatever the agent plants."""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mmbench import cli, ledger, schema
from mmbench.bench import cheats, clarification, tree
from mmbench.bench.clarification import Exchange, attended
from mmbench.bench.grading.base import Asked
from mmbench.bench.room import Kind
from mmbench.case import Case, faults
from tests.bench.test_process import KINDS, usable
from tests.support import tiny
from tests.support.sessions import keys, trial
from tests.support.tiny import Place
from tests.test_case import DOCUMENT

PROMPT = "Copy the right one. You may ask: write to QUESTION.txt, and the answer comes in ANSWER.txt."
TALK = {
    "question_file": "QUESTION.txt",
    "answer_file": "ANSWER.txt",
    "answer": "The grey one, please.",
    "must_ask": [["colour", "color"], "bird"],
}
ASKED: dict[str, Any] = {"kind": "asked", "weight": 1}
QUESTION = "Which colour has the bird that I should copy?"
WAIT = "n=0; while [ ! -s ANSWER.txt ] && [ $n -lt 100 ]; do n=$((n + 1)); sleep 0.1; done\n"
ASK = f'echo "{QUESTION}" > QUESTION.txt\n{WAIT}'


def case(**changed: Any) -> Case:
    checks = [ASKED, {"kind": "artifact_exists", "weight": 1, "path": "out.txt"}]
    return Case(DOCUMENT | {"prompt": PROMPT, "clarification": TALK, "checks": checks} | changed, "")


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "grey.txt").write_text("heron\n")
    return folder


def wait_for(there: Callable[[], bool]) -> bool:
    """Wait for something that must come; False once it surely does not."""
    deadline = time.monotonic() + 30
    while not there() and time.monotonic() < deadline:
        time.sleep(0.01)
    return there()


def talk(work: Path, act: Callable[[], object]) -> Exchange:
    """Let an agent, a function, act where the user attends; return what was said."""
    with attended(case(), work, tree.marks(work)) as exchange:
        assert exchange is not None
        act()
    return exchange


@pytest.mark.parametrize("kind", KINDS)
def test_a_question_from_any_room_is_answered_once_and_both_files_are_gone(
    kind: Kind, work: Path, tmp_path: Path
) -> None:
    if not usable(kind):
        pytest.skip(f"this machine cannot make {kind} rooms")
    script = f"set -eu\n{ASK}cp grey.txt out.txt\ncat ANSWER.txt\n"
    asks = case(solutions={"without_mm": script})
    played = cheats.solve(asks, cheats.begin(work, tmp_path / "played"), kind)
    assert played.answer == "The grey one, please.\n"
    assert played.exchange is not None
    assert played.exchange["question"]["text"] == f"{QUESTION}\n"
    assert played.exchange["answered_s"] >= played.exchange["asked_s"]
    assert (played.exchange["changed_before"], played.exchange["refused"]) == (0, None)
    assert sorted(path.name for path in played.tree.iterdir()) == ["grey.txt", "out.txt"]
    assert played.score(asks, kind) == 100


def test_the_answer_comes_once_the_question_is_whole(work: Path) -> None:
    def act() -> None:
        for word in QUESTION.split():
            with (work / "QUESTION.txt").open("a") as file:
                file.write(f"{word} ")
            time.sleep(clarification.SETTLE_S / 3)
        assert wait_for((work / "ANSWER.txt").exists)

    assert talk(work, act).question == f"{QUESTION} "


def test_an_answer_is_not_given_twice(work: Path) -> None:
    def act() -> None:
        (work / "QUESTION.txt").write_text(QUESTION)
        assert wait_for((work / "ANSWER.txt").exists)
        (work / "ANSWER.txt").unlink()
        (work / "QUESTION.txt").write_text("And how large is it?")
        time.sleep(clarification.SETTLE_S + 3 * clarification.POLL_S)
        assert not (work / "ANSWER.txt").exists()

    assert talk(work, act).question == QUESTION


def test_a_question_at_the_very_end_is_heard_and_not_answered(work: Path) -> None:
    exchange = talk(work, lambda: (work / "QUESTION.txt").write_text(QUESTION))
    assert exchange.question == QUESTION
    assert (exchange.answered_s, exchange.changed_before) == (None, 0)
    assert [path.name for path in work.iterdir()] == ["grey.txt"]


def test_what_was_changed_before_the_question_is_counted(work: Path) -> None:
    def act() -> None:
        (work / "grey.txt").rename(work / "moved.txt")
        (work / "QUESTION.txt").write_text(QUESTION)
        assert wait_for((work / "ANSWER.txt").exists)
        (work / "later.txt").touch()

    assert talk(work, act).changed_before == 2


def _link(work: Path) -> None:
    (work / "QUESTION.txt").symlink_to(work.parent / "secret.txt")


def _twin(work: Path) -> None:
    os.link(work / "grey.txt", work / "QUESTION.txt")


PLANTED: dict[str, tuple[Callable[[Path], object], str]] = {
    "a link": (_link, "symlink"),
    "a pipe": (lambda work: os.mkfifo(work / "QUESTION.txt"), "pipe"),
    "a folder": (lambda work: (work / "QUESTION.txt").mkdir(), "directory"),
    "a second name": (_twin, "second name"),
    "a flood": (lambda work: (work / "QUESTION.txt").write_text("?" * 10_000), "over the limit"),
    "a hole": (lambda work: os.truncate(_empty(work), 1 << 40), "over the limit"),
}


def _empty(work: Path) -> Path:
    (work / "QUESTION.txt").touch()
    return work / "QUESTION.txt"


@pytest.mark.parametrize(("plant", "reason"), PLANTED.values(), ids=PLANTED)
def test_what_is_no_plain_question_is_refused_with_the_reason(
    work: Path, plant: Callable[[Path], object], reason: str
) -> None:
    (work.parent / "secret.txt").write_text("the answer to everything")
    exchange = talk(work, lambda: plant(work))
    assert exchange.question is None
    assert reason in str(exchange.refused)
    assert exchange.answered_s is None


@pytest.mark.parametrize("text", ["", " \n\n"])
def test_an_empty_file_asks_nothing(work: Path, text: str) -> None:
    exchange = talk(work, lambda: (work / "QUESTION.txt").write_text(text))
    assert (exchange.question, exchange.asked_s, exchange.refused) == (None, None, None)
    assert not (work / "QUESTION.txt").exists()


def test_a_folder_that_takes_the_questions_place_at_the_last_moment_is_not_read(
    work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = os.open

    def swapping(path: Any, flags: int, *more: int, **options: Any) -> int:
        if path == "QUESTION.txt":
            (work / "QUESTION.txt").unlink()
            (work / "QUESTION.txt").mkdir()
        return before(path, flags, *more, **options)

    def act() -> None:
        (work / "QUESTION.txt").write_text(QUESTION)
        monkeypatch.setattr(os, "open", swapping)
        assert wait_for((work / "QUESTION.txt").is_dir)
        monkeypatch.undo()

    assert talk(work, act).question is None


def test_the_answer_follows_no_link(work: Path) -> None:
    victim = work.parent / "victim.txt"
    victim.write_text("mine")
    (work / "ANSWER.txt").symlink_to(victim)

    def act() -> None:
        (work / "QUESTION.txt").write_text(QUESTION)
        assert wait_for(lambda: not (work / "ANSWER.txt").is_symlink())
        assert (work / "ANSWER.txt").read_text() == "The grey one, please.\n"

    talk(work, act)
    assert victim.read_text() == "mine"


def test_a_folder_in_the_place_of_the_answer_keeps_it_away_and_is_told(work: Path) -> None:
    def act() -> None:
        (work / "ANSWER.txt").mkdir()
        (work / "QUESTION.txt").write_text(QUESTION)
        time.sleep(clarification.SETTLE_S + 5 * clarification.POLL_S)

    exchange = talk(work, act)
    assert (exchange.question, exchange.answered_s) == (QUESTION, None)
    assert "cannot be written" in str(exchange.refused)
    assert (work / "ANSWER.txt").is_dir()
    assert sorted(path.name for path in work.parent.iterdir()) == ["work"]


def test_a_folder_that_was_moved_away_gets_nothing_written_beside_it(work: Path) -> None:
    moved = work.parent / "moved"

    def act() -> None:
        work.rename(moved)
        work.mkdir()
        (work / "QUESTION.txt").write_text(QUESTION)
        time.sleep(clarification.SETTLE_S + 3 * clarification.POLL_S)

    assert talk(work, act).question is None
    assert [path.name for path in moved.iterdir()] == ["grey.txt"]


def test_an_answer_that_the_machine_cannot_write_is_no_failure_of_the_agent(
    work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "rename", full)

    def act() -> None:
        (work / "QUESTION.txt").write_text(QUESTION)
        assert wait_for(lambda: all(thread.name != "user" for thread in threading.enumerate()))

    with pytest.raises(OSError, match="No space left"):
        talk(work, act)


def test_nobody_attends_to_a_case_without_a_user(work: Path) -> None:
    with attended(Case(DOCUMENT, ""), work, {}) as exchange:
        assert exchange is None
    assert clarification.asked(Case(DOCUMENT, ""), None) is None


def test_the_checks_are_told_of_the_recorded_question() -> None:
    points = (("colour", "color"), ("bird",))
    assert clarification.asked(case(), None) == Asked(None, 0, points)
    recorded = Exchange(QUESTION, 1.0, 3).record()
    assert clarification.asked(case(), recorded) == Asked(QUESTION, 3, points)


def test_a_record_with_an_exchange_is_valid_and_one_without_stays_so() -> None:
    line = {
        "kind": "trial",
        "v": 1,
        "seq": 1,
        "at": "2026-01-01T00:00:00.000Z",
        "prev": "0" * 64,
        **trial(keys()[0]),
    }
    said = [Exchange(), Exchange(QUESTION, 1.5, 0, 2.5), Exchange(refused="it is a symlink")]
    for more in ({}, *({"clarification": one.record()} for one in said)):
        assert schema.first_fault("record.trial", line | more) is None
    wrong = said[1].record() | {"answered": True}
    assert schema.first_fault("record.trial", line | {"clarification": wrong}) is not None


FAULTS = [
    ({"prompt": "Copy it; ask in QUESTION.txt."}, "does not name ANSWER.txt"),
    ({"prompt": f"{PROMPT} The grey one, please."}, "holds the user's answer"),
    ({"clarification": TALK | {"answer_file": "QUESTION.txt"}}, "one file"),
    ({"prompt": f"{PROMPT} grey.txt", "clarification": TALK | {"answer_file": "grey.txt"}}, "already"),
]


@pytest.mark.parametrize(("change", "reason"), FAULTS)
def test_a_channel_that_cannot_work_is_a_fault_of_the_case(
    work: Path, change: dict[str, Any], reason: str
) -> None:
    assert list(clarification.faults(case(), work)) == []
    assert reason in " ".join(clarification.faults(case(**change), work))


BAD_CASES: list[dict[str, Any]] = [
    {"clarification": TALK | {"question_file": "../QUESTION.txt"}},
    {"clarification": TALK | {"answer_file": "sub/ANSWER.txt"}},
    {"clarification": TALK | {"must_ask": []}},
    {"clarification": TALK | {"must_ask": [[]]}},
]


@pytest.mark.parametrize("change", BAD_CASES)
def test_the_schema_refuses_other_places_and_nothing_to_ask_for(change: dict[str, Any]) -> None:
    assert schema.first_fault("case", case().document) is None
    assert schema.first_fault("case", case(**change).document) is not None


def test_a_question_that_nobody_scores_and_a_score_for_asking_nobody_are_faults() -> None:
    assert faults(case().document, "here") == []
    alone = {name: value for name, value in case().document.items() if name != "clarification"}
    assert [fault.pointer for fault in faults(alone, "here")] == ["/checks"]
    plain = [{"kind": "contains_text", "weight": 1, "value": "x"}]
    assert [fault.pointer for fault in faults(case(checks=plain).document, "here")] == ["/clarification"]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    made = tiny.make(tmp_path, cases=1, script=f"{ASK}cp word.txt out.txt\ncat word.txt\n")
    rewrite(made)
    for name, value in made.environment().items():
        monkeypatch.setenv(name, value)
    return made


def rewrite(place: Place, **changes: Any) -> None:
    checks = [
        ASKED,
        {"kind": "contains_text", "weight": 1, "value": "heron"},
        {"kind": "artifact_exists", "weight": 1, "path": "out.txt"},
        {"kind": "tree_unchanged_except", "weight": 1, "allow_added": ["out.txt"]},
    ]
    document = {"id": "word-0", **tiny.CASE, "prompt": PROMPT, "clarification": TALK, "checks": checks}
    (place.root / "suite" / "cases.jsonl").write_text(json.dumps(document | changes) + "\n")


def lines(place: Place, kind: str) -> list[dict[str, Any]]:
    told = [json.loads(line) for line in place.ledger.read_bytes().split(b"\n")[:-1]]
    return [line for line in told if line["kind"] == kind]


@pytest.mark.skipif(sys.platform != "linux", reason="one room is enough elsewhere")
def test_a_session_records_the_question_and_is_regraded_to_the_same_digit(place: Place) -> None:
    assert cli.main(place.words()) == 0
    for line in lines(place, "trial"):
        said = line["clarification"]
        assert (said["question"]["text"], said["changed_before"]) == (f"{QUESTION}\n", 0)
        assert said["answered_s"] >= said["asked_s"]
        assert {change["path"] for change in line["tree"]["changes"]} == {"out.txt"}
    graded = lines(place, "checks")
    assert [line["correctness"] for line in graded] == [100.0, 100.0]
    words = ["regrade", place.ledger.stem, "--results", str(place.results)]
    assert cli.main([*words, "--suite", str(place.root / "suite")]) == 0
    again = lines(place, "checks")[2:]
    assert [line["results"] for line in again] == [line["results"] for line in graded]
    rewrite(place, clarification=TALK | {"must_ask": ["feather"]})
    assert cli.main([*words, "--suite", str(place.root / "suite")]) == 0
    # The guard counts by the share of the two other checks.
    assert [line["correctness"] for line in lines(place, "checks")[4:]] == [
        pytest.approx(200 / 3, abs=0.01)
    ] * 2
    rewrite(place, clarification=TALK | {"answer": "The white one."})
    assert cli.main([*words, "--suite", str(place.root / "suite")]) == 1, "another answer is another task"
    assert cli.main(["validate", str(place.ledger), "--results", str(place.results)]) == 0


def test_an_agent_that_cannot_ask_is_left_out_with_the_reason(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    with (place.root / "agent.toml").open("r+") as file:
        told = file.read()
        file.seek(0)
        file.write(f"can_ask = false\n{told}")
    with (place.root / "suite" / "cases.jsonl").open("a") as file:
        file.write(json.dumps({"id": "plain", **tiny.CASE}) + "\n")
    place.agent(tiny.GOOD)
    assert cli.main(place.words()) == 0
    (header,) = lines(place, "session")
    reason = "the agent cannot wait for the user's answer, its adapter says"
    assert header["plan"]["excluded"] == [{"case": "word-0", "arm": None, "reason": reason}]
    assert reason in " ".join(capsys.readouterr().err.split())
    assert {key.case for key in ledger.load(place.ledger).trials} == {"plain"}
