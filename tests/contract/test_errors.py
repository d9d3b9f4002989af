"""An endpoint that fails ends a trial within its limit, as the failure that it is."""

from __future__ import annotations

import pytest

from tests.contract.proof import Proof
from tests.contract.stage import Stage, slack_s
from tests.support.loopback import Mode, Script
from tests.support.record import NOWHERE

pytestmark = pytest.mark.live

CAP_S = 120.0
HANG_S = 20.0


@pytest.mark.parametrize(("mode", "kind"), [("401", "auth"), ("429", "rate_limit"), ("500", "server_error")])
@pytest.mark.proves
def test_an_error_of_the_endpoint_is_the_infrastructures(
    agent: str, stage: Stage, proven: Proof, mode: Mode, kind: str
) -> None:
    played = stage.play(agent, Script(("true",), mode=mode), timeout_s=CAP_S + slack_s(agent))
    assert played.ended == ("infra_error", kind), played.record["failure"]
    assert played.record["ended"] == "exit"
    assert played.calls, "the endpoint was not asked at all"


@pytest.mark.proves("no_server", "no_server")
def test_a_missing_server_is_the_infrastructures(agent: str, stage: Stage, proven: Proof) -> None:
    played = stage.play(agent, Script(), timeout_s=CAP_S + slack_s(agent), url=NOWHERE)
    assert played.ended == ("infra_error", "no_server"), played.record["failure"]
    assert played.record["ended"] == "exit"


@pytest.mark.proves("hang", "timeout")
def test_a_model_that_stalls_ends_at_the_limit_of_the_trial(agent: str, stage: Stage, proven: Proof) -> None:
    script = Script(("echo seen > made.txt",), mode="hang", fail_after=1)
    played = stage.play(agent, script, timeout_s=HANG_S + slack_s(agent))
    assert played.ended == ("timeout", "timeout"), played.record["failure"]
    assert played.record["ended"] == "timeout"
    assert played.record["usage"]["lower_bound"]
    assert [change["path"] for change in played.record["tree"]["changes"]] == ["made.txt"]
