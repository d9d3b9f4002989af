"""Naming the kind of an error from its status and its words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmbench.bench.agents.failures import classify, http_status, kind_of, status_for
from mmbench.outcome import Failure


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("Failed to authenticate. API Error: 401 invalid API key", "auth"),
        ("unexpected status 401 Unauthorized: invalid API key, url: http://127.0.0.1/v1/responses", "auth"),
        ("Not logged in · Please run /login", "auth"),
        ("OAuth token has expired", "auth"),
        ("API key not valid. Please pass a valid API key.", "auth"),
        ("403 not allowed", "auth"),
        ('Headers.append: "Bearer a b" is an invalid header value.', "auth"),
        ("API Error: Request rejected (429) · slow", "rate_limit"),
        ("exceeded retry limit, last status: 429 Too Many Requests", "rate_limit"),
        ("429 slow", "rate_limit"),
        ("Rate limit reached for requests", "rate_limit"),
        ("500 internal error", "server_error"),
        ("API Error: 529 overloaded", "server_error"),
        ("We’re currently experiencing high demand, which may cause temporary errors.", "server_error"),
        ("stream disconnected before completion: stream closed before response.completed", "server_error"),
        ("Service Unavailable", "server_error"),
        ("Connection refused (ECONNREFUSED) connection_failed", "no_server"),
        ("Connection failed: error sending request", "no_server"),
        ("Connection error.", "no_server"),
        ("TypeError: fetch failed", "no_server"),
        ("Cannot connect to API: Unable to connect. Is the computer able to access the url?", "no_server"),
        ("getaddrinfo ENOTFOUND api.example.org", "dns"),
        ("Temporary failure in name resolution", "dns"),
        ("dns error: failed to lookup address information", "dns"),
        ("Credit balance is too low", "quota"),
        ("Quota exceeded. Check your plan and billing details.", "quota"),
        ("429 You exceeded your current quota, please check your plan", "quota"),
        ("There's an issue with the selected model (x). It may not exist", "missing_model"),
        ("the model does not exist", "missing_model"),
        ("404 model 'x' not found", "missing_model"),
        ("Prompt is too long", "context_overflow"),
        ("Codex ran out of room in the model's context window.", "context_overflow"),
        ("400 This model's maximum context length is 8192 tokens", "context_overflow"),
        ("spawn E2BIG", "argv_limit"),
        ("ENOSPC: no space left on device", "disk"),
        ("something nobody has seen", "unknown"),
        ("", "unknown"),
    ],
)
def test_names_the_kind_of_an_error(message, kind):
    assert kind_of(message) == kind


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (401, "auth"),
        (402, "quota"),
        (403, "auth"),
        (404, "missing_model"),
        (429, "rate_limit"),
        (500, "server_error"),
        (503, "server_error"),
        (529, "server_error"),
        (418, "unknown"),
    ],
)
def test_a_status_tells_where_words_do_not(status, kind):
    assert kind_of("it went wrong", status) == kind


def test_words_tell_more_than_the_status():
    assert kind_of("insufficient_quota", 429) == "quota"
    assert kind_of("prompt is too long", 400) == "context_overflow"
    assert kind_of("invalid model for this key", 401) == "auth"


@pytest.mark.parametrize(
    ("message", "status"),
    [
        ("HTTP 401: no", 401),
        ("status code: 503", 503),
        ("API Error: 429 {}", 429),
        ("500 oops", 500),
        ("read 404 files", None),
        ("4011 things", None),
    ],
)
def test_finds_the_http_status_in_words(message, status):
    assert http_status(message) == status


@pytest.mark.parametrize(
    ("kind", "status"),
    [
        ("auth", "infra_error"),
        ("unknown", "infra_error"),
        ("disk", "infra_error"),
        ("refusal", "agent_error"),
        ("crash", "agent_error"),
        ("output_limit", "agent_error"),
        ("timeout", "timeout"),
        ("no_answer", "no_answer"),
    ],
)
def test_tells_whose_failure_it_is(kind, status):
    assert status_for(Failure(kind)) == status


@given(st.text(), st.none() | st.integers())
def test_never_raises(message, status):
    found = classify(message, status)
    assert found.kind and len(found.message) <= 2000
