from __future__ import annotations

import http.client
import json
import socket
import threading
from collections.abc import Iterator
from contextlib import closing
from urllib.parse import urlsplit

import pytest
import requests

from mmbench.bench.meter import MAX_BODY, Meter
from mmbench.bench.profiles import Endpoint, Profile
from tests.support.upstream import Asked, Reply, Upstream

KEY = "sk-real-key-0123456789"
CHAT = json.dumps(
    {"model": "served", "choices": [{}], "usage": {"prompt_tokens": 100, "completion_tokens": 7}}
).encode()


def profile(url: str, **more: object) -> Profile:
    return Profile("p", "adhoc", f"{url}/api/v1", "model", KEY, **more)  # type: ignore[arg-type]


class Bench:
    """A meter in front of a scripted endpoint."""

    def __init__(self, meter: Meter, upstream: Upstream) -> None:
        self.meter, self.upstream = meter, upstream
        self.url = meter.open("t")

    def post(
        self, path: str = "/chat/completions", data: bytes = b'{"a":1}', **more: object
    ) -> requests.Response:
        headers = {"authorization": "Bearer metered", "content-type": "application/json", "x-mine": "kept"}
        return requests.post(self.url + path, data=data, headers=headers, timeout=10, **more)  # type: ignore[arg-type]


@pytest.fixture
def bench() -> Iterator[Bench]:
    with Upstream(Reply(body=CHAT)) as upstream, Meter(profile(upstream.url)) as meter:
        yield Bench(meter, upstream)


def test_a_request_goes_through_with_the_real_key_and_is_counted(bench: Bench) -> None:
    answer = bench.post()
    assert (answer.status_code, answer.content) == (200, CHAT)
    (asked,) = bench.upstream.asked
    assert (asked.method, asked.path, asked.body) == ("POST", "/api/v1/chat/completions", b'{"a":1}')
    assert asked.headers["authorization"] == f"Bearer {KEY}"
    assert asked.headers["x-mine"] == "kept"
    counts = bench.meter.close("t")
    assert (counts.requests, counts.errors, counts.models) == (1, {}, ("served",))
    assert (counts.prompt_tokens, counts.completion_tokens, counts.unmetered) == (100, 7, 0)
    assert (counts.bytes_in, counts.bytes_out) == (7, len(CHAT))
    assert counts.seconds > 0


def test_the_query_is_kept_and_models_are_not_an_unmetered_answer(bench: Bench) -> None:
    assert requests.get(bench.url + "/models?limit=2", timeout=5).ok
    assert bench.upstream.asked[0].path == "/api/v1/models?limit=2"
    assert bench.meter.close("t").unmetered == 0


def test_no_key_means_no_header() -> None:
    with Upstream(Reply(body=CHAT)) as upstream:
        free = Profile("ollama", "builtin", upstream.url, "m", "")
        with Meter(free) as meter:
            Bench(meter, upstream).post()
        assert "authorization" not in upstream.asked[0].headers


def test_speech_goes_to_its_own_endpoint_with_its_own_key() -> None:
    sound = json.dumps({"text": "hi", "usage": {"type": "duration", "seconds": 3}}).encode()
    with Upstream(Reply(body=CHAT)) as chat, Upstream(Reply(body=sound)) as speech:
        both = profile(chat.url, transcription=Endpoint(speech.url, "sk-speech"))
        with Meter(both) as meter:
            bench = Bench(meter, chat)
            bench.post("/audio/transcriptions")
            counts = meter.close("t")
        assert speech.asked[0].headers["authorization"] == "Bearer sk-speech"
        assert (chat.asked, counts.sound_seconds, counts.unmetered) == ([], 3.0, 0)


def test_a_stream_is_passed_on_piece_by_piece() -> None:
    seen = threading.Event()
    usage = b'data: {"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":2}}\n\n'
    first = b'data: {"choices":[{"delta":{"content":"a"}}]}\n\n'
    pieces = [first, lambda: seen.wait(10), usage + b"data: [DONE]\n\n"]
    reply = Reply(headers={"content-type": "text/event-stream"}, pieces=pieces)
    with Upstream(reply) as upstream, Meter(profile(upstream.url)) as meter:
        bench = Bench(meter, upstream)
        with bench.post(stream=True) as answer:
            # The endpoint sends the rest only once the first piece has come through.
            parts = answer.iter_content(None)
            assert next(parts) == first
            seen.set()
            assert b"".join(parts) == usage + b"data: [DONE]\n\n"
        counts = meter.close("t")
    assert (counts.prompt_tokens, counts.completion_tokens, counts.unmetered) == (5, 2, 0)


def test_every_retry_counts_and_errors_are_told_apart(bench: Bench) -> None:
    for status in (500, 500, 429, 200):
        bench.upstream.reply = lambda _asked, status=status: Reply(status, CHAT if status == 200 else b"{}")
        assert bench.post().status_code == status
    counts = bench.meter.close("t")
    assert (counts.requests, counts.errors) == (4, {"429": 1, "500": 2})
    assert counts.prompt_tokens == 100


def test_an_error_that_repeats_the_key_does_not_bring_it_inside(bench: Bench) -> None:
    bench.upstream.reply = lambda asked: Reply(401, f"bad key: {asked.headers['authorization']}".encode())
    answer = bench.post()
    assert answer.text == "bad key: Bearer [key]"
    assert KEY not in repr(bench.meter.close("t"))


def test_headers_from_inside_cannot_replace_the_key(bench: Bench) -> None:
    sent = {"Authorization": "Bearer other", "X-Api-Key": "other", "api-key": "other", "Cookie": "a=b"}
    requests.post(bench.url + "/chat/completions", data=b"{}", headers=sent, timeout=5)
    headers = bench.upstream.asked[0].headers
    assert headers["authorization"] == f"Bearer {KEY}"
    assert not {"x-api-key", "api-key", "cookie"} & set(headers)


def test_an_endpoint_that_is_not_there_is_a_502_with_the_reason() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
    with Meter(profile(url)) as meter:
        answer = requests.post(meter.open("t") + "/chat/completions", data=b"{}", timeout=10)
        counts = meter.close("t")
    assert answer.status_code == 502
    assert answer.json()["error"]["code"] == "no_server"
    assert counts.errors == {"no_server": 1}


def test_an_unknown_host_is_told_apart() -> None:
    with Meter(profile("http://no-such-host.invalid")) as meter:
        requests.post(meter.open("t") + "/chat/completions", data=b"{}", timeout=20)
        assert meter.close("t").errors == {"dns": 1}


def test_a_redirect_is_not_followed_nor_passed_on(bench: Bench) -> None:
    bench.upstream.reply = lambda _asked: Reply(307, b"", {"location": "http://127.0.0.1:9/elsewhere"})
    assert bench.post(allow_redirects=False).status_code == 502
    assert bench.meter.close("t").errors == {"redirect": 1}


def test_an_answer_that_breaks_off_is_broken_off_and_counted(bench: Bench) -> None:
    event = b'data: {"usage":{"prompt_tokens":5,"completion_tokens":1}}\n\n'
    bench.upstream.reply = lambda _asked: Reply(
        headers={"content-type": "text/event-stream"}, pieces=[event], hang_up=True
    )
    with pytest.raises(requests.exceptions.ChunkedEncodingError):
        bench.post()
    counts = bench.meter.close("t")
    assert (counts.cut, counts.errors, counts.prompt_tokens) == (1, {"cut_off": 1}, 5)


def test_a_body_over_the_cap_is_refused_unread(bench: Bench) -> None:
    where = urlsplit(bench.url)
    with socket.create_connection((where.hostname, where.port), timeout=5) as connection:
        head = f"POST {where.path}/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: {MAX_BODY + 1}\r\n\r\n"
        connection.sendall(head.encode())
        assert b" 413 " in connection.makefile("rb").readline()
    assert bench.upstream.asked == []
    assert bench.meter.close("t").errors == {"413": 1}


def test_trials_do_not_mix_and_a_closed_one_is_dead(bench: Bench) -> None:
    other = bench.meter.open("other")
    assert bench.post().ok
    assert bench.meter.close("t").requests == 1
    late = bench.post()
    assert (late.status_code, late.json()["error"]["code"]) == (404, "no_trial")
    assert requests.post(other + "/chat/completions", data=b"{}", timeout=5).ok
    assert bench.meter.close("other").requests == 1
    assert len(bench.upstream.asked) == 2


@pytest.mark.parametrize("url", ["http://example.com/v1/models", "https://example.com/v1/models"])
def test_as_a_proxy_it_leads_nowhere_and_counts_who_tried(bench: Bench, url: str) -> None:
    where = urlsplit(bench.url)
    proxy = f"http://{where.path.split('/')[2]}:x@{where.hostname}:{where.port}"
    with requests.Session() as session:
        session.trust_env = False
        session.proxies = {"http": proxy, "https": proxy}
        try:
            assert session.get(url, timeout=5).status_code == 403
        except requests.exceptions.ProxyError as error:
            assert "403" in str(error)
    assert bench.upstream.asked == []
    assert bench.meter.close("t").errors == {"other_hosts": 1}


@pytest.mark.parametrize(
    "path",
    [
        "../../account/keys",
        "%2e%2e/%2E%2e/account/keys",
        "chat/..%2f..%2f../account",
        "..\\..\\account",
        "./x",
    ],
)
def test_no_path_leads_out_of_the_profiles_own_api(bench: Bench, path: str) -> None:
    address = urlsplit(bench.url)
    with closing(http.client.HTTPConnection(str(address.hostname), address.port, timeout=10)) as connection:
        connection.request("GET", f"{address.path}/{path}")
        with connection.getresponse() as answer:
            assert answer.status == 403
    assert bench.upstream.asked == []
    assert bench.meter.close("t").errors == {"other_hosts": 1}


def test_many_at_once_are_all_counted(bench: Bench) -> None:
    def ask() -> None:
        for _ in range(5):
            bench.post()

    threads = [threading.Thread(target=ask) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    counts = bench.meter.close("t")
    assert (counts.requests, counts.prompt_tokens, counts.errors) == (100, 10_000, {})


def test_a_trial_that_hung_up_is_cut_and_the_meter_goes_on() -> None:
    arrived, leave = threading.Event(), threading.Event()

    def reply(_asked: Asked) -> Reply:
        arrived.set()
        assert leave.wait(10)
        return Reply(body=CHAT)

    with Upstream(reply) as upstream, Meter(profile(upstream.url)) as meter:
        bench = Bench(meter, upstream)
        where = urlsplit(bench.url)
        with socket.create_connection((where.hostname, where.port), timeout=5) as connection:
            head = f"POST {where.path}/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{{}}"
            connection.sendall(head.encode())
            assert arrived.wait(10)
        counts = meter.close("t")  # still waiting for the endpoint
        leave.set()
        assert (counts.requests, counts.cut) == (1, 1)
        bench.url = meter.open("next")
        assert bench.post().ok
        assert meter.close("next").prompt_tokens == 100


def test_nothing_listens_after_the_context() -> None:
    with Upstream(Reply(body=CHAT)) as upstream, Meter(profile(upstream.url)) as meter:
        bench = Bench(meter, upstream)
    with pytest.raises(requests.ConnectionError):
        bench.post()
