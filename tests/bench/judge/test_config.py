from __future__ import annotations

import pytest

from mmbench.bench.judge import config
from mmbench.bench.judge.config import API_KEY, BASE_URL, DEFAULT_MODEL, FALLBACK_KEY, MODEL, JudgeOptions
from mmbench.errors import PrerequisiteError, UsageError

OWN = JudgeOptions(model="a, b,a", base_url="https://host/v1/", api_key="key-of-my-own")
KEYED = {FALLBACK_KEY: "openrouter-key"}


def test_a_real_agent_is_judged_and_a_reference_agent_is_not() -> None:
    judged = config.settle(JudgeOptions(), KEYED, reference=False)
    assert judged is not None
    assert (judged.mode, judged.models, judged.base_url) == ("score", (DEFAULT_MODEL,), config.OPENROUTER)
    assert config.settle(JudgeOptions(), KEYED, reference=True) is None
    assert config.settle(JudgeOptions(mode="off"), {}, reference=False) is None
    criteria = config.settle(JudgeOptions(mode="criteria"), KEYED, reference=True)
    assert criteria is not None
    assert criteria.mode == "criteria"


def test_a_missing_key_stops_and_names_the_choice() -> None:
    with pytest.raises(PrerequisiteError, match="--judge off") as caught:
        config.settle(JudgeOptions(), {}, reference=False)
    assert caught.value.exit_code == 3


@pytest.mark.parametrize(
    "given",
    [
        ("m", None, None),
        (None, "https://h/v1", None),
        (None, None, "k"),
        ("m", "https://h/v1", None),
        ("m", " ", "k"),
    ],
)
def test_an_endpoint_by_halves_is_refused_with_what_is_missing(given: tuple[str | None, ...]) -> None:
    with pytest.raises(UsageError, match="too"):
        config.read(None, *given)


def test_off_and_an_endpoint_exclude_each_other() -> None:
    with pytest.raises(UsageError, match="exclude"):
        config.read("off", "m", "https://h/v1", "k")


def test_flags_stand_above_the_environment_and_commas_make_a_panel() -> None:
    env = {MODEL: "other", BASE_URL: "https://elsewhere/v1", API_KEY: "other-key"}
    found = config.require(OWN, env)
    assert (found.models, found.base_url, found.api_key) == (("a", "b"), "https://host/v1", "key-of-my-own")
    found = config.require(JudgeOptions(), env)
    assert (found.models, found.base_url, found.api_key) == (("other",), "https://elsewhere/v1", "other-key")


def test_a_key_that_was_read_from_a_file_is_taken_without_its_line_break() -> None:
    assert config.require(JudgeOptions(), {"OPENROUTER_API_KEY": "or-key\n"}).api_key == "or-key"


def test_openrouters_key_goes_to_openrouter_only() -> None:
    with pytest.raises(PrerequisiteError):
        config.require(
            JudgeOptions(), {MODEL: "m", BASE_URL: "https://openrouter.ai.evil.example/v1", **KEYED}
        )
    assert config.require(JudgeOptions(), KEYED).api_key == "openrouter-key"


def test_another_endpoint_needs_a_model_of_its_own() -> None:
    with pytest.raises(UsageError, match=MODEL):
        config.require(JudgeOptions(), {BASE_URL: "https://host/v1", API_KEY: "k"})


@pytest.mark.parametrize(
    ("url", "wire", "base"),
    [
        ("https://openrouter.ai/api/v1", "openai", "https://openrouter.ai/api/v1"),
        ("http://127.0.0.1:8080/v1", "openai", "http://127.0.0.1:8080/v1"),
        ("https://api.anthropic.com/v1/", "anthropic", "https://api.anthropic.com/v1"),
        (
            "https://generativelanguage.googleapis.com/v1beta",
            "gemini",
            "https://generativelanguage.googleapis.com/v1beta",
        ),
        (
            "https://generativelanguage.googleapis.com/v1beta/openai",
            "openai",
            "https://generativelanguage.googleapis.com/v1beta/openai",
        ),
        ("anthropic+http://127.0.0.1:1/v1", "anthropic", "http://127.0.0.1:1/v1"),
        ("gemini+https://proxy/v1", "gemini", "https://proxy/v1"),
    ],
)
def test_the_protocol_is_told_by_host_or_prefix(url: str, wire: str, base: str) -> None:
    found = config.require(JudgeOptions(model="m", base_url=url, api_key="k"), {})
    assert (found.wire, found.base_url) == (wire, base)


@pytest.mark.parametrize("url", ["host/v1", "ftp://host", "soap+https://host/v1", "https://"])
def test_what_is_no_url_is_refused(url: str) -> None:
    with pytest.raises(UsageError, match="not an http"):
        config.require(JudgeOptions(model="m", base_url=url, api_key="k"), {})


def test_the_key_is_in_no_part_of_the_method_nor_in_any_repr() -> None:
    found = config.require(OWN, {})
    assert "key-of-my-own" not in f"{found}{found.parts()}{OWN}"
    assert set(found.parts()) == {"mode", "models", "prompt", "schema", "wire"}
