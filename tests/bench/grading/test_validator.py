import os
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from mmbench.bench.grading import CheckFailedToRun, Evidence
from mmbench.bench.grading.validator import Completed, run_validator
from tests.bench.grading.trial import trial

HEAD = "import json, sys\ngiven = json.load(sys.stdin)\n"
GOOD = HEAD + (
    "from pathlib import Path\n"
    "names = sorted(p.name for p in Path(given['tree']).iterdir())\n"
    "same = Path(given['reference'], 'a.txt').read_text() == Path(given['tree'], 'a.txt').read_text()\n"
    "right = given['answer'] == given['truth']\n"
    "print(json.dumps({'score': (same + right) / 2, 'reasons': [f'saw {names}']}))\n"
)


@pytest.fixture
def evidence(tmp_path: Path) -> Evidence:
    return trial(tmp_path, ["a.txt"], answer="\x1b[1mseven\x1b[0m").evidence()


def test_a_validator_sees_the_tree_the_original_the_answer_and_the_truth(evidence: Evidence) -> None:
    result = run_validator(GOOD, evidence, truth="seven", weight=3)
    assert (result.kind, result.weight, result.score, result.reason) == ("validator", 3, 1, "saw ['a.txt']")
    assert run_validator(GOOD, evidence, truth="eight").score == 0.5


@pytest.mark.parametrize(
    "source",
    [
        "raise SystemExit(1)",
        "1/0",
        "this is no Python",
        "",
        "print('{}')",
        "print('7')",
        "print('null')",
        "print('[' * 100000)",
        'print(\'{"score": NaN, "reasons": ["x"]}\')',
        'print(\'{"score": 1.01, "reasons": ["x"]}\')',
        'print(\'{"score": -0.1, "reasons": ["x"]}\')',
        'print(\'{"score": true, "reasons": ["x"]}\')',
        'print(\'{"score": "1", "reasons": ["x"]}\')',
        'print(\'{"score": 1, "reasons": []}\')',
        "print('{\"score\": 1}')",
        "import os, signal; os.kill(os.getpid(), signal.SIGKILL)",
        "x = bytearray(1 << 40)",
        "print('x' * (1 << 22))",
    ],
)
def test_whatever_is_no_verdict_leaves_the_trial_ungraded(evidence: Evidence, source: str) -> None:
    with pytest.raises(CheckFailedToRun):
        run_validator(source, evidence)


def test_a_deadline_ends_the_validator_and_what_it_started(evidence: Evidence, tmp_path: Path) -> None:
    note = tmp_path / "pid"
    source = (
        "import subprocess, time\n"
        "child = subprocess.Popen(['sleep', '60'])\n"
        f"open({str(note)!r}, 'w').write(str(child.pid))\n"
        "time.sleep(60)\n"
    )
    with pytest.raises(CheckFailedToRun, match="did not end within 2 s"):
        run_validator(source, evidence, timeout_s=2)
    child = int(note.read_text())
    for _ in range(100):
        if not _runs(child):
            break
        time.sleep(0.05)
    assert not _runs(child)


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{pid}/stat").read_text().split(") ")[1][0] != "Z"


def test_the_environment_of_the_harness_does_not_reach_it(
    evidence: Evidence, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_TOKEN", "x")
    source = (
        HEAD
        + "import os\nprint(json.dumps({'score': float('SECRET_TOKEN' not in os.environ), 'reasons': ['x']}))"
    )
    assert run_validator(source, evidence).score == 1


def test_another_way_to_run_it_can_be_given(evidence: Evidence) -> None:
    seen: dict[str, object] = {}

    def sandbox(
        argv: Sequence[str], *, stdin: bytes, timeout_s: float, readable: Sequence[Path]
    ) -> Completed:
        seen.update(argv=argv, readable=readable, there=Path(argv[-1]).read_text())
        return Completed(0, b'{"score": 0.25, "reasons": ["a", "b"]}')

    result = run_validator("the source", evidence, run_sandboxed=sandbox)
    assert (result.score, result.reason, seen["there"]) == (0.25, "a b", "the source")
    assert evidence.tree in seen["readable"]
    assert evidence.reference in seen["readable"]
