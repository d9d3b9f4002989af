from __future__ import annotations

import itertools
import json
import socket

import pytest

from mmbench.bench.judge import prompt
from mmbench.bench.judge.client import Client
from mmbench.bench.judge.question import AskError, Image, Question
from mmbench.bench.judge.wires import WIRES
from tests.bench.judge.samples import SECRET
from tests.support.judge_endpoint import Fault, JudgeEndpoint

PICTURE = Image("picture 1", "image/png", b"\x89PNG")
QUESTION = Question("You grade.", "What is it worth?", prompt.SCORE_SCHEMA)
SHOWN = Question("You grade.", "What is it worth?", prompt.SCORE_SCHEMA, (PICTURE,))


def client(endpoint: JudgeEndpoint, wire: str = "openai", **changes: float) -> Client:
    return Client(wire, endpoint.base_url, "some-model", SECRET, **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize("wire", WIRES)
def test_every_wire_asks_the_same_and_reads_the_answer(wire: str) -> None:
    with JudgeEndpoint() as endpoint:
        answer = client(endpoint, wire).ask(SHOWN)
    (asked,) = endpoint.questions
    assert (asked.wire, asked.model, asked.key) == (wire, "some-model", SECRET)
    assert (asked.system, asked.text, asked.images) == ("You grade.", "What is it worth?", ("image/png",))
    assert (asked.schema, asked.temperature) == (prompt.SCORE_SCHEMA, 0)
    assert json.loads(answer.text) == {"reason": "As the truth says.", "score": 4}
    assert answer.served_model == "some-model-0101"
    assert (answer.prompt_tokens, answer.completion_tokens, answer.without) == (500, 30, ())


FAULTS: dict[Fault, str] = {
    "429": "rate_limit",
    "500": "server_error",
    "hang": "timeout",
    "drip": "timeout",
    "cut_json": "bad_answer",
    "wrong_type": "bad_answer",
    "garbage": "bad_answer",
    "refusal": "refusal",
    "cut_reply": "cut",
}


@pytest.mark.parametrize(("wire", "fault"), list(itertools.product(WIRES, FAULTS)))
def test_every_failure_is_named_on_every_wire(wire: str, fault: Fault) -> None:
    with JudgeEndpoint(faults={1: fault}) as endpoint:
        asking = client(endpoint, wire, deadline_s=0.6, silence_s=0.4)
        with pytest.raises(AskError) as caught:
            asking.ask(QUESTION)
    assert caught.value.kind == FAULTS[fault]
    assert not caught.value.lasting
    assert SECRET not in str(caught.value)
    assert len(endpoint.questions) == 1


def test_the_wait_that_a_server_asks_for_is_passed_on() -> None:
    with JudgeEndpoint(faults={1: "429"}) as endpoint, pytest.raises(AskError) as caught:
        client(endpoint).ask(QUESTION)
    assert caught.value.retry_after == 7


def test_a_cut_reply_is_kept_for_the_record() -> None:
    with JudgeEndpoint(faults={1: "cut_reply"}) as endpoint, pytest.raises(AskError) as caught:
        client(endpoint).ask(QUESTION)
    assert caught.value.answer is not None
    assert caught.value.answer.text == "Score: 1"


@pytest.mark.parametrize(
    ("refused", "without"),
    [
        (("response_format",), ("bounds", "schema")),
        (("maxLength",), ("bounds",)),
        (("temperature",), ("temperature",)),
        (("image_url",), ("images",)),
        (("response_format", "temperature"), ("bounds", "schema", "temperature")),
    ],
)
def test_what_an_endpoint_does_not_take_is_left_out_and_told(
    refused: tuple[str, ...], without: tuple[str, ...]
) -> None:
    with JudgeEndpoint(refuses=refused) as endpoint:
        asking = client(endpoint)
        first, second = asking.ask(SHOWN), asking.ask(SHOWN)
    assert first.without == second.without == without
    assert len(endpoint.asked) == len(without) + 2, "what was refused once is not offered again"


def test_max_tokens_goes_by_its_other_name_where_the_endpoint_says_so() -> None:
    with JudgeEndpoint(refuses=("max_tokens",)) as endpoint:
        endpoint.hint = "max_completion_tokens"
        answer = client(endpoint).ask(QUESTION)
    assert answer.without == ("max_tokens",)
    assert "max_completion_tokens" in endpoint.questions[0].body


def test_a_refusal_about_something_else_is_final() -> None:
    with JudgeEndpoint(refuses=("messages",)) as endpoint, pytest.raises(AskError) as caught:
        client(endpoint).ask(QUESTION)
    assert caught.value.lasting


def test_nobody_at_the_port_is_told_apart() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    with pytest.raises(AskError) as caught:
        Client("openai", url, "m", SECRET).ask(QUESTION)
    assert caught.value.kind == "no_server"


def test_the_key_and_the_endpoints_name_are_taken_out_of_what_it_sends_back() -> None:
    with JudgeEndpoint(faults={1: "500"}) as endpoint, pytest.raises(AskError) as caught:
        client(endpoint).ask(QUESTION)
    assert "[key]" in caught.value.message
    host = endpoint.url.removeprefix("http://")
    with JudgeEndpoint(lambda _q: f"{SECRET} at {host} says 4") as chatty:
        answer = client(chatty).clean(f"{SECRET} at {chatty.url} says 4")
    assert answer == "[key] at http://[endpoint] says 4"


def test_a_redirect_is_not_followed_with_the_key() -> None:
    with JudgeEndpoint(faults={1: "redirect"}) as endpoint, pytest.raises(AskError) as caught:
        client(endpoint).ask(QUESTION)
    assert caught.value.kind == "refused"
    assert len(endpoint.asked) == 1


@pytest.mark.parametrize(
    ("told", "name"),
    [
        ("google/gemini-3.1-flash-lite", "google/gemini-3.1-flash-lite"),
        ("/home/somebody/models/x.gguf", "x.gguf"),
        ("C:\\models\\x.gguf", "x.gguf"),
        ("~/models/x.gguf", "x.gguf"),
        ("", None),
        (7, None),
    ],
)
def test_a_served_model_is_a_name_and_never_a_path(told: object, name: str | None) -> None:
    reply = {"model": told, "choices": [{"message": {"content": "4"}, "finish_reason": "stop"}]}
    assert WIRES["openai"]().read(reply).served_model == name
