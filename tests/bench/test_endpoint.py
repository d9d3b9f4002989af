from __future__ import annotations

import json
import socket
from pathlib import Path

import pytest
import requests
from hypothesis import given
from hypothesis import strategies as st

from mmbench.bench import endpoint
from mmbench.bench.endpoint import EndpointError, ping, status_reason
from mmbench.bench.profiles import Profile
from tests.support.upstream import Asked, Reply, Upstream

KEY = "sk-real-key-0123456789"


def profile(url: str) -> Profile:
    return Profile("mine", "named", f"{url}/v1", "qwen-vl", KEY)


def serving(status: int = 200, body: object = None, models: Reply | None = None) -> Upstream:
    """Make an endpoint that answers a chat with this, and lists two models."""
    chat = {"model": "qwen-vl-2026", "choices": [{"message": {}}]} if body is None else body
    listed = {"data": [{"id": "qwen-vl-7b"}, {"id": "gemma"}]}

    def reply(asked: Asked) -> Reply:
        if asked.method == "GET":
            return models or Reply(body=json.dumps(listed).encode())
        return Reply(status, json.dumps(chat).encode())

    return Upstream(reply)


def failure(upstream: Upstream) -> EndpointError:
    with upstream, pytest.raises(EndpointError) as caught:
        ping(profile(upstream.url))
    assert KEY not in str(caught.value)
    assert caught.value.exit_code == 3
    return caught.value


def test_a_working_endpoint_tells_what_it_serves() -> None:
    with serving() as upstream:
        pong = ping(profile(upstream.url))
        assert (pong.model, pong.models) == ("qwen-vl-2026", ("qwen-vl-7b", "gemma"))
        listed, asked = upstream.asked
    assert (listed.path, asked.path) == ("/v1/models", "/v1/chat/completions")
    assert asked.headers["authorization"] == f"Bearer {KEY}"
    assert json.loads(asked.body)["max_tokens"] == 1


def test_an_endpoint_without_a_list_of_models_may_work() -> None:
    with serving(models=Reply(404)) as upstream:
        assert ping(profile(upstream.url)).models == ()


def test_a_refused_key_is_found_before_a_token_is_spent() -> None:
    upstream = serving(models=Reply(401, f"no such key {KEY}".encode()))
    assert failure(upstream).reason == "auth"
    assert len(upstream.asked) == 1


@pytest.mark.parametrize(
    ("status", "body", "reason"),
    [
        (401, {"error": "Unauthorized"}, "auth"),
        (403, {"error": "Forbidden"}, "auth"),
        (429, {"error": {"code": "insufficient_quota"}}, "quota"),
        (402, {"error": "Payment required"}, "quota"),
        (429, {"error": {"code": "rate_limit_exceeded"}}, "rate_limit"),
        (404, {"error": {"message": "model 'qwen-vl' not found"}}, "missing_model"),
        (400, {"error": "unknown field"}, "refused"),
        (503, {"error": "loading"}, "server_error"),
        (200, {"hello": 1}, "bad_answer"),
        (200, [], "bad_answer"),
        (302, {}, "refused"),
    ],
)
def test_each_failure_has_its_name(status: int, body: object, reason: str) -> None:
    error = failure(serving(status, body))
    assert error.reason == reason
    assert error.fix


def test_a_missing_model_comes_with_the_nearest_ones() -> None:
    assert "It has: qwen-vl-7b." in failure(serving(404, {"error": "model not found"})).fix


def test_a_dead_port_an_unknown_host_and_plain_http_are_told_apart() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    cases = {f"http://127.0.0.1:{port}": "no_server", "http://no-such-host.invalid": "dns"}
    with serving() as upstream:
        cases[upstream.url.replace("http:", "https:")] = "tls"
        for url, reason in cases.items():
            with pytest.raises(EndpointError) as caught:
                ping(profile(url))
            assert caught.value.reason == reason


def test_a_silent_endpoint_is_a_timeout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoint, "MODELS_TIMEOUT", (1.0, 0.2))
    with socket.create_server(("127.0.0.1", 0)) as silent, pytest.raises(EndpointError) as caught:
        ping(profile(f"http://127.0.0.1:{silent.getsockname()[1]}"))
    assert caught.value.reason == "timeout"


def test_a_netrc_of_the_user_does_not_replace_the_key(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine api.example.com login a password b\n")
    monkeypatch.setenv("NETRC", str(netrc))
    request = requests.Request("GET", "https://api.example.com/v1")
    with requests.Session() as plain, endpoint.client("https://api.example.com", KEY) as ours:
        assert plain.prepare_request(request).headers["Authorization"].startswith("Basic")
        assert ours.prepare_request(request).headers["Authorization"] == f"Bearer {KEY}"


def test_loopback_is_reached_without_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    with serving() as upstream:
        assert ping(profile(upstream.url)).model == "qwen-vl-2026"


@given(st.integers(300, 599), st.text())
def test_every_status_has_a_reason(status: int, text: str) -> None:
    assert status_reason(status, text) in endpoint._FIXES
