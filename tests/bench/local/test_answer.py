from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmbench.bench.local import answer
from mmbench.bench.local.answer import ImagePart, Refused, SoundPart, TextPart


def chat(*parts: Any) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": list(parts)}]}


def text(value: str) -> dict[str, Any]:
    return {"type": "text", "text": value}


def image(data: bytes) -> dict[str, Any]:
    url = f"data:image/png;base64,{base64.b64encode(data).decode()}"
    return {"type": "image_url", "image_url": {"url": url}}


def test_the_first_text_is_the_instruction_and_the_rest_is_material_in_order() -> None:
    sound = {
        "type": "input_audio",
        "input_audio": {"data": base64.b64encode(b"wav").decode(), "format": "wav"},
    }
    asked = answer.message(chat(text("Describe."), text("Page 1:"), image(b"one"), sound, image(b"two")))
    assert asked.instruction == "Describe."
    assert asked.material == (TextPart("Page 1:"), ImagePart(b"one"), SoundPart(b"wav"), ImagePart(b"two"))


def test_an_image_in_front_is_material_too() -> None:
    assert answer.message(chat(image(b"one"), text("Read."))).material == (
        ImagePart(b"one"),
        TextPart("Read."),
    )


def test_only_the_last_user_message_counts() -> None:
    messages = [
        {"role": "user", "content": "old"},
        {"role": "user", "content": "new"},
        {"role": "assistant", "content": "no"},
    ]
    assert answer.message({"messages": messages}).instruction == "new"


@pytest.mark.parametrize(
    "request_body",
    [
        {},
        {"messages": []},
        {"messages": "hello"},
        chat({"type": "video_url", "video_url": {"url": "data:video/mp4;base64,AAAA"}}),
        chat({"type": "image_url", "image_url": {"url": "https://example.com/x.png"}}),
        chat({"type": "image_url", "image_url": {"url": "data:image/png;base64,!!!"}}),
        chat({"type": "image_url"}),
        chat("bare"),
        {"messages": [{"role": "user", "content": 5}]},
    ],
)
def test_what_is_not_served_is_refused_with_a_client_error(request_body: dict[str, Any]) -> None:
    with pytest.raises(Refused) as caught:
        answer.message(request_body)
    assert caught.value.status == 400
    assert json.dumps(caught.value.body())


KEYS = st.sampled_from(["messages", "role", "content", "type", "text", "image_url", "url"])
wild = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["messages", "role", "content", "type", "text", "image_url", "url"]), inner
        )
    ),
    max_leaves=20,
)


@given(st.dictionaries(st.sampled_from(["messages", "model"]), wild))
def test_wild_requests_are_answered_or_refused_never_a_crash(request_body: dict[str, Any]) -> None:
    try:
        asked = answer.message(request_body)
    except Refused as refused:
        assert refused.status == 400
    else:
        assert isinstance(asked.instruction, str)


def test_an_instruction_without_material_is_told_that_there_is_no_model() -> None:
    assert answer.compose([], 1, None).text == answer.NO_MATERIAL


@given(st.lists(st.text(max_size=200), max_size=5), st.integers(min_value=1, max_value=60))
def test_an_answer_never_exceeds_the_limit_and_says_when_it_was_cut(texts: list[str], limit: int) -> None:
    whole = answer.compose(texts, 7, None)
    cut = answer.compose(texts, 7, limit)
    assert cut.completion_tokens <= limit
    assert whole.text.startswith(cut.text)
    assert (cut.finish == "length") == (cut.text != whole.text)
    assert cut.usage()["total_tokens"] == 7 + cut.completion_tokens


def test_tokens_follow_the_documented_rule() -> None:
    assert [answer.text_tokens("x" * n) for n in (0, 1, 4, 5)] == [0, 1, 1, 2]
    assert answer.image_tokens(1024, 33) == 64
    assert answer.sound_tokens(1.01) == 26
