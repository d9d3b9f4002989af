"""The one order of decisions from a reading to an outcome."""

from dataclasses import replace

import pytest

from mmbench.bench.agents.base import RawRun
from mmbench.bench.agents.settle import Seen, same_model, settle
from mmbench.outcome import Failure, Usage

GOOD = Seen(final_text="42", usage=Usage(output_total=5), model="m-1", recognised=True, finished=True)


def raw(**changes: object) -> RawRun:
    return replace(RawRun(stdout=b"", stderr=b"", exit_code=0, requested_model="m-1"), **changes)


def test_a_whole_run_with_a_text_is_completed():
    found = settle(GOOD, raw())
    assert (found.status, found.parse, found.failure, found.usage.lower_bound) == (
        "completed",
        "ok",
        None,
        False,
    )


def test_the_exit_code_alone_changes_nothing():
    assert settle(GOOD, raw(exit_code=1)).status == "completed"


def test_no_text_is_no_answer():
    found = settle(replace(GOOD, final_text=" \n"), raw())
    assert (found.status, found.failure.kind) == ("no_answer", "no_answer")


def test_a_timeout_keeps_what_was_seen():
    seen = replace(GOOD, finished=False)
    found = settle(seen, raw(ended="timeout", exit_code=None))
    assert (found.status, found.parse, found.final_text) == ("timeout", "partial", "42")
    assert found.usage == Usage(output_total=5, lower_bound=True)


def test_a_timeout_stands_above_what_the_stream_says():
    seen = replace(GOOD, failure=Failure("server_error"))
    assert settle(seen, raw(ended="timeout")).status == "timeout"


@pytest.mark.parametrize("limit", ["output_limit", "disk_limit", "process_limit", "memory_limit"])
def test_a_limit_is_the_agents_own(limit):
    found = settle(GOOD, raw(ended=limit))
    assert (found.status, found.failure.kind) == ("agent_error", limit)


def test_a_cancelled_run_is_cancelled():
    assert settle(replace(GOOD, model="m-2"), raw(ended="cancelled")).status == "cancelled"


def test_a_failure_of_the_infrastructure():
    found = settle(replace(GOOD, failure=Failure("auth", "401")), raw())
    assert (found.status, found.failure.message) == ("infra_error", "401")


def test_a_cut_stream_is_no_success():
    found = settle(replace(GOOD, finished=False), raw(stderr=b"Segmentation fault"))
    assert (found.status, found.failure.kind, found.parse) == ("agent_error", "crash", "partial")
    assert "Segmentation fault" in found.failure.message and found.usage.lower_bound


def test_an_unknown_stream_is_no_success():
    found = settle(Seen(), raw(stdout=b'{"new": "schema"}'))
    assert (found.status, found.failure.kind, found.parse) == ("infra_error", "unknown", "unknown")


def test_an_unknown_stream_with_a_known_error_is_classified():
    found = settle(Seen(), raw(stderr=b"connect ECONNREFUSED 127.0.0.1:9", exit_code=1))
    assert (found.status, found.failure.kind) == ("infra_error", "no_server")


@pytest.mark.parametrize("code", [-11, 137, 139])
def test_a_death_at_the_start_is_a_crash(code):
    found = settle(Seen(), raw(exit_code=code))
    assert (found.status, found.failure.kind, found.parse) == ("agent_error", "crash", "unknown")


def test_a_refused_option_is_not_the_agents_failure():
    assert settle(Seen(), raw(exit_code=1, stderr=b"error: unknown option '--x'")).status == "infra_error"


def test_another_model_is_a_fallback_even_for_a_timeout():
    for ended in ("exit", "timeout"):
        found = settle(replace(GOOD, model="m-2"), raw(ended=ended))
        assert found.status == "model_fallback" and "m-2" in found.failure.message


def test_a_failure_of_the_infrastructure_stands_above_a_fallback():
    seen = replace(GOOD, model="m-2", failure=Failure("rate_limit"))
    assert settle(seen, raw()).status == "infra_error"


@pytest.mark.parametrize(
    ("requested", "served", "same"),
    [
        ("m-1", "m-1", True),
        ("m-1", "m-2", False),
        (None, "m-2", True),
        ("m-1", None, True),
        ("claude-sonnet-5", "claude-sonnet-5-20260101", True),
        ("gpt-9", "gpt-9-2026-01-01", True),
        ("gpt-9", "gpt-9-mini", False),
        ("provider/m-1", "m-1", True),
        ("pro", "the-pro-model", True),
        ("pro", "the-lite-model", False),
    ],
)
def test_compares_models(requested, served, same):
    assert same_model(requested, served, {"pro": r"the-pro-.*"}) is same
