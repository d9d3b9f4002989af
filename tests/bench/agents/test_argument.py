"""How a prompt gets to a program whole."""

from __future__ import annotations

import subprocess

import pytest

from mmbench.bench.agents.argument import LIMIT, checked, typed
from mmbench.bench.agents.base import LaunchError


def test_the_longest_argument_is_what_the_system_takes() -> None:
    argv = checked(("true", "é" * ((LIMIT - 2) // 2) + "x"))
    assert subprocess.run(argv, check=False, timeout=20).returncode == 0


@pytest.mark.parametrize("argument", ["x" * LIMIT, "é" * (LIMIT // 2), "a\0b"])
def test_what_it_does_not_take_is_said_before(argument: str) -> None:
    with pytest.raises(LaunchError) as caught:
        checked(("hermes", argument))
    assert caught.value.failure.kind == "argv_limit"
    assert str(caught.value).startswith("hermes takes the prompt as an argument")


@pytest.mark.parametrize(("prompt", "sent"), [("/quit", b"\n/quit"), ("a /b", b"a /b"), ("\udcff", b"\xff")])
def test_only_a_slash_at_the_start_is_kept_from_being_a_command(prompt: str, sent: bytes) -> None:
    assert typed(prompt) == sent
