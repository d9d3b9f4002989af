"""Reading a declaration: what is right is read whole, what is wrong is named by file and key."""

from __future__ import annotations

from pathlib import Path

import pytest

from mmbench.bench.agents.declaration import Match, Rule, read
from mmbench.errors import UsageError

DATA = Path(__file__).parents[2] / "data" / "custom"
PLAIN = (DATA / "plain.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", sorted(DATA.glob("*.toml")), ids=lambda path: path.name)
def test_the_examples_are_right(path: Path) -> None:
    assert read(path).name == path.stem


def test_every_part_is_read() -> None:
    told = read(DATA / "crush.toml")
    assert (told.wire, told.default_model, told.stdin) == ("openai-chat", "small-1", "{prompt}")
    assert told.credentials_env == ("CRUSH_API_KEY",)
    output = told.output
    assert output.end == Match(((("type",), "done"),))
    assert output.failed == Match(((("done", "ok"), False),))
    assert output.rules["text"] == Rule(("parts", "*", "text"), Match(((("type",), "say"),)), "join")
    assert (output.input_includes_cache, output.output_includes_reasoning) == (True, False)
    assert set(output.usage) == {"input", "cache_read", "output", "reasoning", "cost_usd"}


@pytest.mark.parametrize(
    ("old", "new", "key", "words"),
    [
        ('"1"', "1", "adapter_version", "not of type 'string'"),
        ('name = "plain"', 'name = "Plain"', "name", "does not match"),
        ('"text"', '"yaml"', "output.format", "yaml"),
        ('"text"', '"json"', "output", "'text' is a required property"),
        ('"text"', '"jsonl"\ntext = { path = "t" }', "output", "'end' is a required property"),
        ("{prompt}", "{promt}", "argv.2", "Did you mean {prompt}"),
        ("--message={prompt}", "--help", "argv", "would not get its task"),
        ("[output]", "[outputs]", "", "'output' is a required property"),
        ("[output]", "retries = 3\n[output]", "", "'retries' was unexpected"),
        ("[output]", '[files]\n"../up" = "x"\n[output]', "files", "does not match"),
        ("[output]", '[env]\nA = "{key}"\n[output]', "env.A", "no placeholder '{key}'"),
        ("[output]", '[model_aliases]\na = "("\n[output]', "model_aliases.a", "regex"),
        ('"text"', '"json"\ntext = { path = "a..b" }', "output.text.path", "does not match"),
        (
            '"text"',
            '"json"\ntext = { path = "a" }\nusage = { input = { path = "i" } }',
            "output.usage",
            "input_includes_cache",
        ),
    ],
)
def test_a_fault_names_the_file_and_the_key(old: str, new: str, key: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "wrong.toml"
    path.write_text(PLAIN.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        read(path)
    assert str(path) in caught.value.where
    assert not key or f"key `{key}`" in caught.value.where
    assert words in caught.value.what
    assert "docs/custom-agents.md" in caught.value.fix


@pytest.mark.parametrize("content", [b"name = ", b"\xff\xfe", None], ids=["torn", "not UTF-8", "missing"])
def test_a_file_that_is_no_toml_is_a_usage_error(content: bytes | None, tmp_path: Path) -> None:
    path = tmp_path / "wrong.toml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(UsageError, match="cannot be read"):
        read(path)
