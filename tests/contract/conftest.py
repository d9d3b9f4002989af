"""Which agents are driven, what is played once for several tests, and the page that is written at the end."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator

import pytest

from mmbench.bench import agents, toolchain
from mmbench.bench.mm import Mm
from mmbench.errors import PrerequisiteError
from tests.contract import proof
from tests.contract.proof import Proof
from tests.contract.stage import Played, Stage
from tests.support.loopback import Script
from tests.support.mm import installed_mm

__all__ = ["installed_mm"]

DEFAULT = ("codex", "pi", "claude")
WORK = 'mm --version; echo "mm ended with $?"; command -v mm; cat secret.txt; echo made > made.txt'

PROOFS = pytest.StashKey[dict[str, Proof]]()
SPOILT = pytest.StashKey[set[tuple[str, str]]]()


def chosen() -> tuple[str, ...]:
    """Return the agents that MMBENCH_CONTRACT names; `all` stands for all."""
    named = os.environ.get("MMBENCH_CONTRACT", "").replace(",", " ").split() or list(DEFAULT)
    return tuple(toolchain.TOOLS) if named == ["all"] else tuple(named)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "proves(claim, shown): what the table says when its tests pass")
    config.stash[PROOFS], config.stash[SPOILT] = {}, set()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "agent" in metafunc.fixturenames:
        metafunc.parametrize("agent", chosen(), scope="session")


@pytest.fixture(scope="session")
def stage(tmp_path_factory: pytest.TempPathFactory, mm: Mm) -> Stage:
    return Stage(tmp_path_factory.mktemp("contract"), mm)


@pytest.fixture(scope="session")
def proven(agent: str, stage: Stage, pytestconfig: pytest.Config) -> Proof:
    """What is known of the agent so far; missing CLIs fail here, with the command that installs them."""
    try:
        version = stage.program(agents.load(agent).name).version
    except PrerequisiteError as error:
        pytest.fail(str(error), pytrace=False)
    found = proof.load(agent, version) or Proof(agent, version)
    return pytestconfig.stash[PROOFS].setdefault(agent, found)


@pytest.fixture(scope="session")
def work(agent: str, stage: Stage, proven: Proof) -> Callable[[str], Played]:
    """The same work in an arm, played once for all tests that look at it."""
    played: dict[str, Played] = {}

    def work_in(arm: str) -> Played:
        if arm not in played:
            played[arm] = stage.play(agent, Script((WORK,)), arm=arm)
        return played[arm]

    return work_in


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Note a test's result beside what it claims; one that fails spoils the claim."""
    report = yield
    marker, callspec = item.get_closest_marker("proves"), getattr(item, "callspec", None)
    if marker is None or callspec is None or report.when != "call":
        return report
    claim, shown = marker.args or (callspec.params["mode"], callspec.params["kind"])
    known = item.config.stash[PROOFS].get(callspec.params["agent"])
    if known is not None:
        spoilt = item.config.stash[SPOILT]
        if not report.passed:
            spoilt.add((known.agent, claim))
        known.proven[claim] = "**no**" if (known.agent, claim) in spoilt else shown
    return report


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write what was proven, and the page of all that is."""
    proofs = session.config.stash[PROOFS]
    for one in proofs.values():
        proof.save(one)
    if proofs:
        proof.PAGE.write_text(proof.page(proof.known()), encoding="utf-8")
