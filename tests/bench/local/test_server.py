from __future__ import annotations

import base64
import io
import json
import socket
import threading
from collections.abc import Iterator
from typing import Any

import pytest
import requests
from PIL import Image

from mmbench.bench.endpoint import Bearer
from mmbench.bench.local import LocalServer
from mmbench.bench.local.answer import NO_TEXT
from mmbench.bench.local.ocr import WORKERS, Page
from mmbench.bench.local.server import MAX_BODY, LocalHTTPServer, Readers
from mmbench.bench.local.speech import Segment, Transcript
from tests.bench.local.conftest import picture


def image(data: bytes) -> dict[str, Any]:
    return {
        "type": "image_url",
        "image_url": {"url": "data:image/png;base64," + base64.b64encode(data).decode()},
    }


def text(value: str) -> dict[str, Any]:
    return {"type": "text", "text": value}


def said(answer: requests.Response) -> str:
    content = answer.json()["choices"][0]["message"]["content"]
    assert isinstance(content, str)
    return content


def body(*parts: Any, **more: Any) -> dict[str, Any]:
    return {"model": "any", "messages": [{"role": "user", "content": list(parts)}], **more}


def post(server: LocalServer, value: Any) -> requests.Response:
    return requests.post(
        f"{server.base_url}/chat/completions", json=value, timeout=60, auth=Bearer(server.key)
    )


INVOICE = picture("Invoice 2024-117", "Total 342,775.48 EUR")
LETTER = picture("Blue Harbour Ltd")


def test_images_are_read_in_order_between_the_texts(ocr_server: LocalServer) -> None:
    answer = post(ocr_server, body(text("Read."), text("Pages 1-2:"), image(INVOICE), image(LETTER))).json()
    content = answer["choices"][0]["message"]["content"]
    assert content == "Pages 1-2:\n\nInvoice 2024-117\nTotal 342,775.48 EUR\n\nBlue Harbour Ltd"
    # 640 x 320 pixels are 20 x 10 tokens each; "Read." costs 2 and "Pages 1-2:" 3.
    assert answer["usage"]["prompt_tokens"] == 2 + 3 + 2 * 200


def test_the_same_input_gives_the_same_bytes(ocr_server: LocalServer) -> None:
    answers = {post(ocr_server, body(text("Read."), image(INVOICE))).content for _ in range(2)}
    assert len(answers) == 1


def test_parallel_requests_are_answered_as_if_they_came_one_by_one(ocr_server: LocalServer) -> None:
    found: dict[int, str] = {}

    def ask(number: int) -> None:
        data = INVOICE if number % 2 else LETTER
        found[number] = post(ocr_server, body(text("Read."), image(data))).json()["choices"][0]["message"][
            "content"
        ]

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found[0] == found[2] == "Blue Harbour Ltd"
    assert found[1] == "Invoice 2024-117\nTotal 342,775.48 EUR"


def test_a_stream_says_the_same_and_its_usage_on_request(ocr_server: LocalServer) -> None:
    plain = post(ocr_server, body(text("Read."), image(INVOICE))).json()
    asked = body(text("Read."), image(INVOICE), stream=True, stream_options={"include_usage": True})
    lines = [line for line in post(ocr_server, asked).text.split("\n\n") if line]
    assert lines.pop() == "data: [DONE]"
    events = [json.loads(line.removeprefix("data: ")) for line in lines]
    said = "".join(e["choices"][0]["delta"].get("content", "") for e in events if e["choices"])
    assert said == plain["choices"][0]["message"]["content"]
    assert events[-1]["usage"] == plain["usage"]
    assert [e["choices"][0]["finish_reason"] for e in events[:-1]][-1] == "stop"


def test_an_image_without_text_says_so(ocr_server: LocalServer) -> None:
    assert said(post(ocr_server, body(text("Read."), image(picture())))) == NO_TEXT


def test_max_tokens_is_kept(ocr_server: LocalServer) -> None:
    answer = post(ocr_server, body(text("Read."), image(INVOICE), max_tokens=2)).json()
    assert answer["choices"][0]["message"]["content"] == "Invoice "
    assert answer["choices"][0]["finish_reason"] == "length"


def test_the_models_are_listed(ocr_server: LocalServer) -> None:
    listed = requests.get(f"{ocr_server.base_url}/models", timeout=5, auth=Bearer(ocr_server.key)).json()
    assert [model["id"] for model in listed["data"]] == ["mmbench-local"]


def test_speech_without_weights_is_refused_with_the_reason(ocr_server: LocalServer) -> None:
    answer = requests.post(
        f"{ocr_server.base_url}/audio/transcriptions",
        files={"file": ("a.wav", b"RIFF")},
        timeout=5,
        auth=Bearer(ocr_server.key),
    )
    assert answer.status_code == 501
    assert "no weights in this test" in answer.json()["error"]["message"]


@pytest.mark.parametrize(
    ("path", "sent", "status"),
    [
        ("/embeddings", b"{}", 501),
        ("/chat/completions", b"not json", 400),
        ("/chat/completions", b"[]", 400),
        ("/chat/completions", json.dumps(body(text("x"), image(b"no image"))).encode(), 400),
        ("/audio/transcriptions", b"{}", 400),
        ("/elsewhere", b"{}", 404),
    ],
)
def test_bad_requests_get_a_json_error(ocr_server: LocalServer, path: str, sent: bytes, status: int) -> None:
    answer = requests.post(ocr_server.base_url + path, data=sent, timeout=30, auth=Bearer(ocr_server.key))
    assert answer.status_code == status
    assert answer.json()["error"]["message"]


def test_an_image_with_too_many_pixels_is_refused_before_it_is_decoded(ocr_server: LocalServer) -> None:
    target = io.BytesIO()
    Image.new("1", (8000, 6000)).save(target, "PNG")
    assert post(ocr_server, body(text("x"), image(target.getvalue()))).status_code == 413


def test_a_body_over_the_cap_is_refused_unread(ocr_server: LocalServer) -> None:
    port = int(ocr_server.base_url.split(":")[2].split("/")[0])
    with socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
        key = f"authorization: Bearer {ocr_server.key}"
        head = f"POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\n{key}\r\ncontent-length: {MAX_BODY + 1}\r\n\r\n"
        connection.sendall(head.encode())
        assert b" 413 " in connection.makefile("rb").readline()


@pytest.mark.parametrize("key", ["", "local", "wrong-\u00fc"])
def test_who_has_found_the_port_and_not_the_key_learns_nothing(ocr_server: LocalServer, key: str) -> None:
    asked = body(text("Read."), image(INVOICE))
    for answer in (
        requests.get(f"{ocr_server.base_url}/models", timeout=5, headers=bearer(key)),
        requests.post(f"{ocr_server.base_url}/chat/completions", json=asked, timeout=5, headers=bearer(key)),
    ):
        assert answer.status_code == 401
        assert answer.json()["error"]["code"] == "invalid_api_key"
    assert ocr_server.key not in repr(ocr_server)


def bearer(key: str) -> dict[str, bytes]:
    return {"authorization": f"Bearer {key}".encode()} if key else {}


class Slow:
    """A reader that waits for a sign, and counts."""

    def __init__(self) -> None:
        self.go, self.started, self.reads = threading.Event(), threading.Semaphore(0), 0

    def read(self, data: bytes) -> Page:
        self.reads += 1
        self.started.release()
        assert self.go.wait(60)
        return Page(data.decode(), 32, 32)


class Sound:
    def read(self, data: bytes, language: str | None = None) -> Transcript:
        if data == b"broken":
            raise RuntimeError("a fault in the model")
        segments = (Segment(0.0, 1.5, "Good morning."), Segment(1.5, 2.25, "Bye."))
        return Transcript(segments, language or "en", 2.25)


@pytest.fixture
def slow() -> Iterator[tuple[Slow, str]]:
    reader = Slow()
    with LocalHTTPServer(Readers(reader, Sound())) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        yield reader, f"http://127.0.0.1:{server.server_address[1]}/v1"
        reader.go.set()
        server.shutdown()
        thread.join()


def test_nothing_is_read_for_a_client_that_hung_up(slow: tuple[Slow, str]) -> None:
    reader, url = slow

    def ask(data: bytes, timeout: float = 60) -> requests.Response:
        return requests.post(f"{url}/chat/completions", json=body(text("x"), image(data)), timeout=timeout)

    first = [threading.Thread(target=ask, args=(b"one",)) for _ in range(WORKERS)]
    for thread in first:
        thread.start()
    for _ in first:
        assert reader.started.acquire(timeout=60)
    with pytest.raises(requests.exceptions.ReadTimeout):
        ask(b"two", timeout=0.2)
    reader.go.set()
    for thread in first:
        thread.join()
    assert said(ask(b"three")) == "three"
    assert reader.reads == WORKERS + 1


def test_a_transcription_has_segments_and_its_length(slow: tuple[Slow, str]) -> None:
    answer = requests.post(
        f"{slow[1]}/audio/transcriptions",
        files={"file": ("a.wav", b"RIFF\r\n")},
        data={"response_format": "verbose_json", "language": "de"},
        timeout=10,
    ).json()
    assert answer["text"] == "Good morning. Bye."
    assert answer["language"] == "de"
    assert [(s["start"], s["end"]) for s in answer["segments"]] == [(0.0, 1.5), (1.5, 2.25)]
    assert answer["usage"] == {"type": "duration", "seconds": 2.25}


def test_a_transcription_as_text(slow: tuple[Slow, str]) -> None:
    files, data = {"file": ("a.wav", b"RIFF")}, {"response_format": "text"}
    answer = requests.post(f"{slow[1]}/audio/transcriptions", files=files, data=data, timeout=10)
    assert answer.text == "Good morning. Bye.\n"


def test_a_format_that_is_not_served_is_refused(slow: tuple[Slow, str]) -> None:
    files, data = {"file": ("a.wav", b"RIFF")}, {"response_format": "srt"}
    assert (
        requests.post(f"{slow[1]}/audio/transcriptions", files=files, data=data, timeout=10).status_code
        == 400
    )


def test_a_fault_in_a_model_is_a_server_error_and_the_server_lives(
    slow: tuple[Slow, str], capfd: pytest.CaptureFixture[str]
) -> None:
    url = f"{slow[1]}/audio/transcriptions"
    answer = requests.post(url, files={"file": ("a.wav", b"broken")}, timeout=10)
    assert answer.status_code == 500
    assert "RuntimeError" in answer.json()["error"]["message"]
    assert "a fault in the model" in capfd.readouterr().err
    assert requests.post(url, files={"file": ("a.wav", b"fine")}, timeout=10).status_code == 200
