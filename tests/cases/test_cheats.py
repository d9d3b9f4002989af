"""What agents earn that cheat: next to nothing, on every case."""

from __future__ import annotations

from pathlib import Path

import pytest

from mmbench.bench import cheats
from mmbench.case import Case
from tests.bench.fixture.conftest import Built
from tests.cases.test_suite import every_case, left_behind


@every_case
def test_doing_nothing_earns_next_to_nothing(case: Case, built: Built, tmp_path: Path) -> None:
    assert cheats.begin(built.path(case.dataset), tmp_path).score(case) <= 10


@every_case
def test_saying_everything_stays_under_35(case: Case, built: Built, tmp_path: Path) -> None:
    assert cheats.shotgun(case, cheats.begin(built.path(case.dataset), tmp_path)).score(case) < 35


@every_case
def test_empty_files_stay_under_35(case: Case, built: Built, tmp_path: Path) -> None:
    assert cheats.touch(case, cheats.begin(built.path(case.dataset), tmp_path)).score(case) < 35


@left_behind
def test_damage_elsewhere_costs_30_points_of_a_full_score(case: Case, built: Built, tmp_path: Path) -> None:
    solved = cheats.solve(case, cheats.begin(built.path(case.dataset), tmp_path))
    assert solved.score(case) == pytest.approx(100)
    assert cheats.mangle(case, solved).score(case) <= 70
