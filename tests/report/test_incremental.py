"""A build over an earlier one gives the bytes of a build from nothing, whatever changed in between."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from mmbench import jsontext
from mmbench.errors import DataError
from mmbench.report import seen
from mmbench.report.build import BuildReport, build
from tests.report.conftest import SITE
from tests.support import synthetic
from tests.support.synthetic import Plan

ADDRESS = "https://example.org/bench"


@dataclass
class Stage:
    """A results folder, its site and its cache, that are changed step by step."""

    root: Path
    address: str | None = None
    only: list[str] = field(default_factory=list)
    rng: random.Random = field(default_factory=lambda: random.Random(20_260_202))

    @property
    def results(self) -> Path:
        return self.root / "results"

    @property
    def site(self) -> Path:
        return self.root / "site"

    @property
    def out(self) -> Path:
        return self.root / "out"

    @property
    def cache(self) -> Path:
        return self.root / "cache"

    def build(self, out: Path | None = None, cache: Path | None = None) -> BuildReport:
        return build(
            self.results,
            out or self.out,
            site=self.site,
            cache=cache or self.cache,
            address=self.address,
            only=self.only,
        )

    def cold(self) -> tuple[BuildReport, dict[str, bytes]]:
        """Build from nothing but drawings, which follow from their specification alone."""
        for name in ("cold", "cold-cache"):
            shutil.rmtree(self.root / name, ignore_errors=True)
        (self.root / "cold-cache").mkdir()
        for name in ("drawings", "explore"):
            shutil.copy(self.cache / name, self.root / "cold-cache" / name)
        report = self.build(self.root / "cold", self.root / "cold-cache")
        return report, content(self.root / "cold")

    def ledger(self, agent: str = "synthetic-a") -> Path:
        return next(path for path in sorted(self.results.glob("*.jsonl")) if agent in path.name)

    def one(self, place: Path, pattern: str) -> Path:
        return self.rng.choice(sorted(path for path in place.glob(pattern) if path.is_file()))

    def append(self, **line: object) -> None:
        path = self.ledger()
        *_, last = path.read_bytes().splitlines()
        seq = jsontext.loads(last)["seq"] + 1
        made = {"v": 1, "seq": seq, "at": "2026-06-01T00:00:00.000Z", "prev": jsontext.sha256(last)}
        with path.open("ab") as stream:
            stream.write(jsontext.dumps(made | line).encode() + b"\n")


def content(out: Path) -> dict[str, bytes]:
    return {str(p.relative_to(out)): p.read_bytes() for p in sorted(out.rglob("*")) if p.is_file()}


def nothing(stage: Stage) -> None:
    """Change nothing."""


def add_a_session(stage: Stage) -> None:
    synthetic.write_fast(stage.results, Plan("synthetic-new", day=40, cases=4, runs=1))


def add_an_older_session(stage: Stage) -> None:
    synthetic.write_fast(stage.results, Plan("synthetic-old", day=-9, cases=5, runs=1, judge=False))


def take_a_session_away(stage: Stage) -> None:
    stage.ledger("synthetic-b").unlink()


def void_a_run(stage: Stage) -> None:
    stage.append(kind="void", run=1, case=None, arm="with_mm", why="the endpoint changed")


def append_an_end(stage: Stage) -> None:
    stage.append(kind="end", reason="interrupted", message="", counts={})


def tear_the_tail(stage: Stage) -> None:
    with stage.ledger().open("ab") as stream:
        stream.write(b'{"kind":')


def write_another_session_under_the_same_name(stage: Stage) -> None:
    plan = Plan("synthetic-c", day=3, cases=4, runs=1, skill=0.9)
    synthetic.write_fast(stage.results, plan)
    stage.build()
    synthetic.write_fast(stage.results, Plan("synthetic-c", day=3, cases=4, runs=1, skill=0.2))


def change_a_template(stage: Stage) -> None:
    path = stage.site / "templates" / stage.rng.choice(("session.html", "trial.html", "base.html"))
    path.write_text(path.read_text().replace("{% block main %}", "{% block main %}<p>New.</p>", 1) + "\n")


def change_the_style(stage: Stage) -> None:
    with (stage.site / "assets" / "style.css").open("a") as stream:
        stream.write("\n")


def lose_a_case(stage: Stage) -> None:
    stage.one(stage.results, "cases/*.json").unlink()


def cases_come_back(stage: Stage) -> None:
    synthetic.tree(stage.root / "fresh", synthetic.SMALL[:1], synthetic.write_fast)
    shutil.copytree(stage.root / "fresh" / "cases", stage.results / "cases", dirs_exist_ok=True)


def lose_an_artifact(stage: Stage) -> None:
    stage.one(stage.results, "artifacts/*/*").unlink()


def change_an_artifact(stage: Stage) -> None:
    stage.one(stage.results, "artifacts/*/*").write_bytes(b"another")


def artifacts_come_back(stage: Stage) -> None:
    synthetic.tree(stage.root / "fresh", synthetic.SMALL[:1], synthetic.write_fast)
    shutil.copytree(stage.root / "fresh" / "artifacts", stage.results / "artifacts", dirs_exist_ok=True)


def lose_pages(stage: Stage) -> None:
    for pattern in (
        "index.html",
        "session/*.html",
        "trial/*/*/*.html",
        "data/transcript/*/*/*",
        "data/session/*",
    ):
        stage.one(stage.out, pattern).unlink()


def damage_pages(stage: Stage) -> None:
    for pattern in ("session/*.html", "trial/*/*/*.html", "data/artifacts/*", "artifacts/*/*", "figure/*/*"):
        path = stage.one(stage.out, pattern)
        data = bytearray(path.read_bytes())
        data[stage.rng.randrange(len(data))] ^= 1
        path.write_bytes(data)


def damage_the_cache(stage: Stage) -> None:
    for path in sorted(path for path in stage.cache.rglob("*") if path.is_file()):
        data = bytearray(path.read_bytes())
        data[stage.rng.randrange(len(data))] ^= 1
        path.write_bytes(data[: stage.rng.choice((len(data), len(data) // 2))])


def confuse_the_cache(stage: Stage) -> None:
    first, second, *_ = sorted((stage.cache / "folded").iterdir())
    first_bytes = first.read_bytes()
    shutil.copy(second, first)
    second.write_bytes(first_bytes)
    shutil.copy(stage.cache / "groups", stage.cache / "figures")


def lose_the_cache(stage: Stage) -> None:
    shutil.rmtree(stage.cache)


def lose_the_site(stage: Stage) -> None:
    shutil.rmtree(stage.out)


def stand_elsewhere(stage: Stage) -> None:
    stage.address = None if stage.address else ADDRESS


def show_one_only(stage: Stage) -> None:
    stage.only = [] if stage.only else [stage.ledger().stem]


STEPS: tuple[Callable[[Stage], None], ...] = (
    nothing,
    add_a_session,
    add_an_older_session,
    take_a_session_away,
    void_a_run,
    append_an_end,
    tear_the_tail,
    write_another_session_under_the_same_name,
    change_a_template,
    change_the_style,
    lose_a_case,
    cases_come_back,
    lose_an_artifact,
    change_an_artifact,
    artifacts_come_back,
    lose_pages,
    damage_pages,
    damage_the_cache,
    confuse_the_cache,
    lose_the_cache,
    lose_the_site,
    stand_elsewhere,
    show_one_only,
)


@pytest.fixture(autouse=True)
def _settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take every file for one that was left alone long enough to be known without reading it."""
    monkeypatch.setattr(seen, "SETTLED_NS", -1)


@pytest.fixture(scope="module")
def _first(tmp_path_factory: pytest.TempPathFactory) -> Stage:
    stage = Stage(tmp_path_factory.mktemp("first"))
    plans = (
        Plan("synthetic-a", day=0, runs=1, cases=5, hostile=True, artifacts=True),
        Plan("synthetic-b", day=1, runs=1, cases=4, timeouts=0.15),
    )
    synthetic.tree(stage.results, plans, synthetic.write_fast)
    shutil.copytree(SITE, stage.site)
    stage.build()
    return stage


@pytest.fixture
def stage(_first: Stage, tmp_path: Path) -> Iterator[Stage]:
    shutil.copytree(_first.root, tmp_path / "stage")
    return Stage(tmp_path / "stage")


OF_NO_ACCOUNT = (lose_pages, damage_pages, damage_the_cache, confuse_the_cache, lose_the_cache, lose_the_site)
"""Steps that leave the results and the site's source as they are."""


@pytest.mark.parametrize("step", OF_NO_ACCOUNT, ids=lambda step: step.__name__)
def test_what_is_lost_or_damaged_comes_back(stage: Stage, step: Callable[[Stage], None]) -> None:
    expected = content(stage.out)
    step(stage)
    stage.build()
    assert content(stage.out) == expected
    assert stage.build().changed == 0


@pytest.mark.parametrize(
    "step", [step for step in STEPS if step not in OF_NO_ACCOUNT], ids=lambda step: step.__name__
)
def test_one_change(stage: Stage, step: Callable[[Stage], None]) -> None:
    step(stage)
    warm = stage.build()
    cold, expected = stage.cold()
    assert content(stage.out) == expected
    facts = ("sessions", "trials", "pages", "files", "bytes", "warnings")
    assert [getattr(warm, name) for name in facts] == [getattr(cold, name) for name in facts]


def test_changes_upon_changes(stage: Stage) -> None:
    lasting = [step for step in STEPS if step not in (take_a_session_away, lose_the_cache, lose_the_site)]
    for step in stage.rng.sample(lasting, len(lasting)):
        step(stage)
        stage.build()
    assert content(stage.out) == stage.cold()[1]


def test_what_did_not_change_is_not_made_again(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    from mmbench.report.pages import trials

    def never(*_: object) -> Iterator[None]:
        raise AssertionError("made again")

    monkeypatch.setattr(trials, "_session", never)
    again = stage.build()
    assert (again.changed, again.removed) == (0, 0)
    stage.one(stage.out, "trial/*/*/*.html").unlink()
    with pytest.raises(AssertionError, match="made again"):
        stage.build()


def test_damaged_results_are_found_though_they_were_read_before(stage: Stage) -> None:
    path = stage.ledger()
    status = path.stat()
    data = path.read_bytes()
    place = data.index(b'"attempt":1')
    path.write_bytes(data[:place] + b'"attempt":2' + data[place + 11 :])
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    before = content(stage.out)
    with pytest.raises(DataError, match="is damaged"):
        stage.build()
    assert content(stage.out) == before


def test_links_of_pages_that_were_not_made_again_are_checked(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    from mmbench.report import build as building
    from mmbench.report.pages import cases

    stage.build()
    monkeypatch.setattr(building, "MAKERS", tuple(m for m in building.MAKERS if m is not cases.pages))
    with pytest.raises(DataError, match="lead nowhere"):
        stage.build()
