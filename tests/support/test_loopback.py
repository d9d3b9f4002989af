"""The loopback model server: every wire, streaming or not, and every mode."""

import http.client
import json
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.support.loopback import CallUsage, LoopbackModel, Script, total

SCHEMA = {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]}
PATHS = {
    "anthropic": "/v1/messages",
    "openai-chat": "/v1/chat/completions",
    "openai-responses": "/v1/responses",
    "gemini": "/v1beta/models/m-1:generateContent",
}


def request(wire: str, *, results: int = 0, stream: bool = False) -> tuple[str, dict[str, Any]]:
    """Build a request of a wire, with some tool results already in it."""
    path = PATHS[wire]
    if wire == "gemini":
        parts = [
            {"functionResponse": {"name": "bash", "response": {"output": f"r{i}"}}} for i in range(results)
        ]
        contents = [{"role": "user", "parts": [{"text": "hello"}]}, {"role": "user", "parts": parts}]
        tools = [{"functionDeclarations": [{"name": "bash", "parametersJsonSchema": SCHEMA}]}]
        return path.replace("generate", "streamGenerate") if stream else path, {
            "contents": contents,
            "tools": tools,
        }
    body: dict[str, Any] = {"model": "m-1", "stream": stream}
    hello = {"role": "user", "content": "hello"}
    if wire == "anthropic":
        done = [
            {"type": "tool_result", "content": [{"type": "text", "text": f"r{i}"}]} for i in range(results)
        ]
        tools = [{"name": "bash", "input_schema": SCHEMA}]
        return path, {**body, "messages": [hello, {"role": "user", "content": done}], "tools": tools}
    if wire == "openai-chat":
        done = [{"role": "tool", "content": f"r{i}"} for i in range(results)]
        tools = [{"type": "function", "function": {"name": "bash", "parameters": SCHEMA}}]
        return path, {**body, "messages": [hello, *done], "tools": tools}
    done = [{"type": "function_call_output", "output": f"r{i}"} for i in range(results)]
    return path, {
        **body,
        "input": [hello, *done],
        "tools": [{"type": "function", "name": "bash", "parameters": SCHEMA}],
    }


def connect(url: str) -> http.client.HTTPConnection:
    return http.client.HTTPConnection(urlsplit(url).netloc, timeout=10)


def post(model: LoopbackModel, path: str, body: dict[str, Any]) -> tuple[int, str, http.client.HTTPMessage]:
    """Send a request and read the whole answer."""
    with closing(connect(model.url)) as connection:
        connection.request("POST", path, json.dumps(body), {"authorization": "Bearer k"})
        response = connection.getresponse()
        return response.status, response.read().decode(), response.headers


@pytest.mark.parametrize("wire", PATHS)
@pytest.mark.parametrize("stream", [False, True])
def test_asks_for_each_command_then_answers(wire, stream):
    script = Script(commands=("echo one", "echo two"), final="got {result}", preamble="let me see")
    with LoopbackModel(script) as model:
        answers = [post(model, *request(wire, results=done, stream=stream)) for done in range(3)]
    assert [status for status, _, _ in answers] == [200] * 3
    texts = [text for _, text, _ in answers]
    joined = [text.replace('\\"', '"') for text in texts]
    assert '"echo one"' in joined[0] and '"echo two"' in joined[1]
    assert "let me see" in texts[0] and "got r1" in texts[2]
    assert [r.wire for r in model.requests] == [wire] * 3
    assert model.requests[2].tool_results == ("r0", "r1")
    assert model.requests[0].user_texts == ("hello",)
    assert model.requests[0].api_key == "k"
    assert model.requests[0].stream is stream


@pytest.mark.parametrize("wire", PATHS)
def test_knows_what_it_served(wire):
    with LoopbackModel(Script(commands=("true",), usage=CallUsage(uncached=11, reasoning=5))) as model:
        _, answer, _ = post(model, *request(wire))
        post(model, *request(wire, results=1))
    served = total(model.served)
    assert (served.input_uncached, served.cache_read, served.output_total) == (22, 600, 96)
    assert served.cache_write == (140 if wire == "anthropic" else 0)
    assert served.reasoning == (0 if wire == "anthropic" else 10)
    told = json.loads(answer)
    usage = told.get("usage") or told["usageMetadata"]
    assert (11 if wire == "anthropic" else 311) in usage.values()


@pytest.mark.parametrize("wire", PATHS)
@pytest.mark.parametrize(
    ("mode", "status"), [("401", 401), ("429", 429), ("500", 500), ("529", 529), ("404", 404)]
)
def test_fails_as_told(wire, mode, status):
    with LoopbackModel(Script(mode=mode, retry_after=7)) as model:
        code, text, headers = post(model, *request(wire))
    assert code == status and "error" in json.loads(text)
    assert headers["retry-after"] == "7"
    assert not model.served and model.requests[0].mode == mode


def test_fails_only_the_calls_it_is_told_to():
    with LoopbackModel(Script(commands=("true",), mode="500", fail_after=1, fail_times=2)) as model:
        codes = [post(model, *request("openai-chat"))[0] for _ in range(5)]
    assert codes == [200, 500, 500, 200, 200]


@pytest.mark.parametrize("wire", PATHS)
def test_refuses(wire):
    with LoopbackModel(Script(commands=("true",), mode="refusal")) as model:
        _, text, _ = post(model, *request(wire))
    assert ("SAFETY" if wire == "gemini" else "refusal") in text
    assert "true" not in text.replace(": true", "")


def test_a_cut_stream_ends_without_its_end():
    with LoopbackModel(Script(mode="cut")) as model:
        _, text, _ = post(model, *request("anthropic", stream=True))
    assert "message_start" in text and "message_stop" not in text
    assert model.served == []


def test_a_hang_ends_with_the_server():
    with LoopbackModel(Script(mode="hang")) as model, closing(connect(model.url)) as connection:
        path, body = request("openai-chat", stream=True)
        connection.request("POST", path, json.dumps(body))
        response = connection.getresponse()
        assert response.readline().startswith(b"data:")
        model.stopping.set()
        assert b"[DONE]" not in response.read()


def test_says_it_is_another_model():
    with LoopbackModel(Script(served_model="m-2")) as model:
        _, text, _ = post(model, *request("openai-chat"))
    assert json.loads(text)["model"] == "m-2"
    assert model.requests[0].model == "m-1"


def test_runs_as_a_program_bounded_in_time(tmp_path: Path):
    port_file, log = tmp_path / "port", tmp_path / "log.jsonl"
    argv = [sys.executable, "-m", "tests.support.loopback", "--port-file", str(port_file), "--log", str(log)]
    with subprocess.Popen([*argv, "--seconds", "30", "--final", "hi"]) as process:
        while not port_file.exists():
            assert process.poll() is None
            time.sleep(0.02)
        with closing(
            http.client.HTTPConnection("127.0.0.1", int(port_file.read_text()), timeout=10)
        ) as connection:
            path, body = request("openai-chat")
            connection.request("POST", path, json.dumps(body))
            assert b"hi" in connection.getresponse().read()
        process.terminate()
        assert process.wait(10) == 0
    assert json.loads(log.read_text())["wire"] == "openai-chat"


def test_stops_by_itself(tmp_path: Path):
    argv = [
        sys.executable,
        "-m",
        "tests.support.loopback",
        "--port-file",
        str(tmp_path / "port"),
        "--seconds",
        "0.1",
    ]
    assert subprocess.run(argv, timeout=20, check=False).returncode == 0


def test_sums_nothing_only_by_name():
    with pytest.raises(ValueError, match="nothing"):
        total([])
