"""Obstacles in real rooms: what is missing is missing, and `mm` is where it was."""

from __future__ import annotations

import json
import shutil
import subprocess
import threading
from pathlib import Path
from typing import Any

import pytest

from mmbench import ledger
from mmbench.bench import obstacles, regrade, sandbox
from mmbench.bench.judge.config import JudgeOptions
from mmbench.bench.process import MIB, Limits
from mmbench.bench.room import Kind, best_kind
from mmbench.bench.sandbox import Sandbox
from mmbench.records import Trial
from tests.support import tiny

KINDS: tuple[Kind, ...] = tuple(dict.fromkeys((best_kind(), "process")))


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> Kind:
    found: Kind = request.param
    return found


def box(tmp_path: Path, kind: Kind, obstacle: dict[str, Any] | None) -> Sandbox:
    programs, source = tmp_path / "bin", tmp_path / "source"
    programs.mkdir()
    source.mkdir()
    (source / "a.txt").write_text("a")
    for name in ("bash", "sh", "sort", "wc"):
        (programs / name).symlink_to(str(shutil.which(name)))
    (programs / "mm").symlink_to("/run/box/shim/mm")
    made = sandbox.make(
        tmp_path / "box", kind=kind, source=source, mount="/workspace", bin_folder=programs, obstacle=obstacle
    )
    shim = made.path("shim") / "mm"
    shim.write_text("#!/bin/sh\necho it is mm\n")
    shim.chmod(0o755)
    return made


def said(made: Sandbox, script: str, *, login: bool = False) -> str:
    words = ["/bin/bash", "-lc" if login else "-c", script]
    done = made.room.run(words, limits=Limits(20))
    return done.stdout.bytes().decode().strip()


def test_a_missing_tool_is_not_on_path_and_all_else_is(tmp_path: Path, kind: Kind) -> None:
    made = box(tmp_path, kind, {"obstacle": "missing_tool", "tool": "sort"})
    assert said(made, "command -v sort || echo gone; command -v wc; mm").split("\n") == [
        "gone",
        f"{made.places.bin}/wc",
        "it is mm",
    ]
    assert (tmp_path / "bin" / "sort").is_symlink()


def test_a_renamed_tool_works_under_its_other_name(tmp_path: Path, kind: Kind) -> None:
    made = box(tmp_path, kind, {"obstacle": "renamed_tool", "tool": "sort", "as": "arrange"})
    assert (
        said(made, "printf 'b\\na\\n' | arrange; command -v sort || echo gone; mm") == "a\nb\ngone\nit is mm"
    )


def test_a_tool_that_is_not_there_can_neither_be_missing_nor_renamed(tmp_path: Path, kind: Kind) -> None:
    made = box(tmp_path, kind, {"obstacle": "renamed_tool", "tool": "nosuchtool", "as": "other"})
    assert said(made, "command -v other || echo gone") == "gone"


def test_an_alias_misleads_a_login_shell_and_can_be_seen_through(tmp_path: Path, kind: Kind) -> None:
    made = box(tmp_path, kind, {"obstacle": "misleading_alias", "tool": "sort", "as": "sort -r"})
    assert said(made, "alias sort", login=True) == "alias sort='sort -r'"
    assert said(made, "printf 'b\\na\\n' | command sort", login=True) == "a\nb"
    assert said(made, "mm", login=True) == "it is mm"


def test_without_an_obstacle_the_arms_programs_are_shared(tmp_path: Path) -> None:
    made = box(tmp_path, best_kind(), None)
    assert said(made, "command -v sort") == f"{made.places.bin}/sort"


def test_a_full_quota_leaves_little_beside_the_tree(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(bytes(MIB))
    limits = obstacles.limits({"obstacle": "full_quota", "spare_mb": 3}, Limits(5), [tmp_path])
    assert 4 * MIB <= limits.disk_bytes < 5 * MIB
    assert obstacles.limits({"obstacle": "missing_tool"}, Limits(5), [tmp_path]) == Limits(5)
    assert obstacles.limits(None, Limits(5), [tmp_path]) == Limits(5)


VARIANTS = [
    {"id": "no-sort", "obstacle": "missing_tool", "tool": "sort"},
    {"id": "half", "obstacle": "corrupt_file", "path": "spare.txt", "setup": [
        {"do": "write", "path": "spare.txt", "text": "0123456789"},
    ]},
]  # fmt: skip
LOOKING = "cp word.txt out.txt\ncat word.txt\ncommand -v sort || echo no sort\ncat spare.txt || true\n"


def test_variants_are_cases_of_their_own_in_plan_method_and_results(tmp_path: Path) -> None:
    place = tiny.make(tmp_path, cases=1, script=LOOKING)
    suite = place.root / "suite" / "cases.jsonl"
    suite.write_text(json.dumps(json.loads(suite.read_text()) | {"variants": VARIANTS}) + "\n")
    done = subprocess.run(
        place.command("--variants"), env=place.environment(), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    session = ledger.load(place.ledger)
    names = {"word-0", "word-0.no-sort", "word-0.half"}
    assert {key.case for key in session.trials} == names
    assert session.header["method"]["parts"]["cases"].keys() == session.header["cases"].keys() == names
    assert "--variants" in session.header["provenance"]["command"]
    answers = {key.case: _answer(trial) for key, trial in session.trials.items() if key.arm == "without_mm"}
    assert "no sort" in answers["word-0.no-sort"]
    assert "no sort" not in answers["word-0"]
    assert answers["word-0.half"].endswith("01234")
    kept = json.loads(place.project.case_file(session.header["cases"]["word-0.half"]).read_text())
    assert kept["tags"] == ["variant"]

    again = _regraded(place, session.id)
    assert (again.done, again.moved, again.left) == (6, 0, {})


def _answer(trial: Trial) -> str:
    assert trial.last is not None
    return str(trial.last.trial["outcome"]["final_text"]["text"])


def _regraded(place: tiny.Place, session: str) -> regrade.Regraded:
    (found,) = regrade.run(
        place.project,
        [session],
        JudgeOptions(),
        cancel=threading.Event(),
        tell=lambda _: None,
        suite=str(place.root / "suite"),
    )
    return found
