"""Small whole cases against agents that solve them, do nothing, cheat or break things."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mmbench.bench.grading import checkpoint_score, run_checks, survey
from tests.bench.grading.trial import Trial, put, trial

FILES = {
    **{f"photos/IMG_{n}.jpg": f"photo {n}" for n in range(2200, 2260)},
    **{f"docs/{n:02}/report {n}.pdf": f"report {n}" for n in range(20)},
    "inbox/scan_4471.pdf": "invoice one", "inbox/IMG_2235.jpg": "invoice two", "notes.txt": "n", ".config": "c",
}  # fmt: skip
CARS, DOGS = (
    [f"photos/IMG_{n}.jpg" for n in range(2200, 2206)],
    [f"photos/IMG_{n}.jpg" for n in range(2206, 2210)],
)
INVOICES = [
    {"file": "scan_4471.pdf", "total": 381.12, "currency": "EUR"},
    {"file": "IMG_2235.jpg", "total": 4647.68, "currency": "USD"},
]

RETRIEVAL: list[dict[str, Any]] = [
    {"kind": "names_file", "weight": 2, "path": "scan_4471.pdf", "max_other_files": 5},
    {"kind": "names_file", "weight": 2, "path": "inbox/IMG_2235.jpg", "max_other_files": 5},
    {"kind": "contains_number", "weight": 1, "value": 5028.8, "max_other_numbers": 20},
    {"kind": "contains_text", "weight": 1, "value": "invoice", "none_of": ["receipt"], "max_words": 300},
]
ARTIFACT: list[dict[str, Any]] = [
    {"kind": "artifact_exists", "weight": 1, "path": "invoices.csv"},
    {"kind": "artifact_row_count", "weight": 1, "path": "invoices.csv", "count": 2},
    {"kind": "artifact_contains", "weight": 1, "path": "invoices.csv", "value": "4647.68"},
    {"kind": "table_match", "weight": 4, "path": "invoices.csv", "truth": INVOICES, "keys": ["file"]},
    {"kind": "tree_unchanged_except", "weight": 5, "allow": ["invoices.csv"]},
]
ORGANIZATION: list[dict[str, Any]] = [
    {"kind": "grouping", "weight": 3, "truth": {"cars": CARS, "dogs": DOGS}},
    *({"kind": "path_exists", "weight": 0.2, "path": f"cars/{path[7:]}", "same_as": path} for path in CARS),
    *({"kind": "path_absent", "weight": 0.2, "path": path} for path in CARS),
    {"kind": "path_absent", "weight": 0.5, "path": "cars/IMG_2206.jpg"},
    {"kind": "mtime_preserved", "weight": 0.5, "originals": ["photos/*"]},
    {
        "kind": "tree_unchanged_except",
        "weight": 5,
        "allow_added": ["cars/**", "dogs/**"],
        "allow_deleted": [*CARS, *DOGS],
    },
]
CASES = {"retrieval": RETRIEVAL, "artifact": ARTIFACT, "organization": ORGANIZATION}


def nop(made: Trial) -> str:
    return ""


def oracle(made: Trial) -> str:
    rows = "\n".join(",".join(map(str, row.values())) for row in INVOICES)
    made.write("invoices.csv", f"file,total,currency\n{rows}\n")
    for folder, paths in {"cars": CARS, "dogs": DOGS}.items():
        (made.tree / folder).mkdir()
        for path in paths:
            (made.tree / path).rename(made.tree / folder / path[7:])
    return "Two are an invoice: inbox/scan_4471.pdf and inbox/IMG_2235.jpg, 5,028.80 in all."


def shotgun(made: Trial) -> str:
    every = "\n".join(FILES) + "\n" + " ".join(f"{n} {n}.12 {n}.68 {n}.8" for n in range(6000))
    made.write(
        "invoices.csv", "file,total,currency\n" + "\n".join(f"{path},{n},EUR" for n, path in enumerate(FILES))
    )
    for folder in ("cars", "dogs"):
        for path, content in FILES.items():
            made.write(f"{folder}/{path.rpartition('/')[2]}", content)
    return every


def words(made: Trial) -> str:
    return " ".join(["invoice", *(f"word{n}" for n in range(5000))])


def touch(made: Trial) -> str:
    for checks in CASES.values():
        for check in checks:
            if "path" in check and not (made.tree / check["path"]).exists():
                made.write(check["path"], "")
    return ""


def wreck(made: Trial) -> str:
    for path in FILES:
        (made.tree / path).unlink()
    return ""


def mangle(made: Trial) -> str:
    answer = oracle(made)
    made.write("notes.txt", "N")
    return answer


def grade(
    tmp_path: Path, checks: list[dict[str, Any]], agent: Callable[[Trial], str], *, only: str = ""
) -> float:
    made = trial(tmp_path, FILES)
    answer = agent(made)
    if agent in (oracle, mangle) and only == "artifact":
        for folder in ("cars", "dogs"):
            for file in (made.tree / folder).iterdir():
                file.rename(made.tree / "photos" / file.name)
            (made.tree / folder).rmdir()
    if agent in (oracle, mangle) and only == "organization":
        (made.tree / "invoices.csv").unlink()
    return checkpoint_score(run_checks(checks, made.evidence(answer)))


@pytest.mark.parametrize("case", CASES)
def test_the_oracle_earns_everything(tmp_path: Path, case: str) -> None:
    assert grade(tmp_path, CASES[case], oracle, only=case) == 1


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("agent", [nop, wreck])
def test_doing_nothing_and_destroying_everything_earn_nothing(tmp_path: Path, case: str, agent: Any) -> None:
    assert grade(tmp_path, CASES[case], agent) <= 0.02


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("agent", [shotgun, words, touch])
def test_cheats_stay_far_below_a_pass(tmp_path: Path, case: str, agent: Any) -> None:
    assert grade(tmp_path, CASES[case], agent) < 0.2


@pytest.mark.parametrize("case", ["artifact", "organization"])
def test_mangling_an_unrelated_file_costs_thirty_points(tmp_path: Path, case: str) -> None:
    assert grade(tmp_path, CASES[case], mangle, only=case) <= 0.7


def test_the_same_tree_in_another_order_and_twenty_times_gives_the_same_results(tmp_path: Path) -> None:
    everything = RETRIEVAL + ARTIFACT + ORGANIZATION
    seen = set()
    for seed in range(20):
        folder = tmp_path / str(seed)
        folder.mkdir()
        names = list(FILES)
        random.Random(seed).shuffle(names)
        made = trial(folder, {name: FILES[name] for name in names})
        shotgun(made) if seed % 2 else None
        made.answer = "inbox/scan_4471.pdf"
        for path in sorted(survey(made.tree)):
            os.utime(made.tree / path, (1000, 1000))
            if (made.reference / path).exists():
                os.utime(made.reference / path, (1000, 1000))
        seen.add(
            (seed % 2, json.dumps([(r.score, r.reason) for r in run_checks(everything, made.evidence())]))
        )
    assert len(seen) == 2


SCRIPT = """
import json, sys
from pathlib import Path
from mmbench.bench.grading import Evidence, run_checks, survey
from tests.bench.grading.test_cheats import RETRIEVAL, ARTIFACT, ORGANIZATION
root = Path(sys.argv[1])
evidence = Evidence("Größe 5.028,80 invoice", root / "tree", survey(root / "reference"), root / "reference")
print(json.dumps([(r.score, r.reason) for r in run_checks(RETRIEVAL + ARTIFACT + ORGANIZATION, evidence)]))
"""


def test_zone_locale_and_hash_seed_do_not_matter(tmp_path: Path) -> None:
    made = trial(tmp_path, FILES)
    put(made.tree, "invoices.csv", "file;total;currency\nscan_4471.pdf;381,12;EUR\n")
    outputs = set()
    for zone, locale, seed in (
        ("UTC", "C", "0"),
        ("Pacific/Kiritimati", "C.UTF-8", "1"),
        ("America/New_York", "C", "7"),
    ):
        environment = {"TZ": zone, "LC_ALL": locale, "PYTHONHASHSEED": seed, "PATH": os.environ["PATH"]}
        command = [sys.executable, "-c", SCRIPT, str(tmp_path)]
        root = Path(__file__).parents[3]
        outputs.add(
            subprocess.run(command, env=environment, cwd=root, capture_output=True, check=True).stdout
        )
    assert len(outputs) == 1
    assert len(json.loads(outputs.pop())) == len(RETRIEVAL + ARTIFACT + ORGANIZATION)
