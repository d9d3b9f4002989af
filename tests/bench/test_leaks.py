"""What a case must not give away, case by case."""

from __future__ import annotations

from typing import Any

import pytest

from mmbench.bench import leaks
from tests.bench.test_case_tests import case


@pytest.mark.parametrize(
    ("prompt", "fault"),
    [
        ("Use mm to find it.", "the prompt names a tool: mm"),
        ("Look for canary-0123456789.", "the canary is in the prompt"),
        ("Is it in sky.txt?", "the prompt holds an answer: sky.txt"),
    ],
)
def test_a_prompt_that_gives_something_away_is_told(prompt: str, fault: str) -> None:
    checks = [{"kind": "names_file", "weight": 1, "path": ["sky.txt"]}]
    assert list(leaks.prompt_leaks(case(prompt=prompt, checks=checks))) == [fault]


def test_a_case_without_a_canary_is_told() -> None:
    assert list(leaks.prompt_leaks(case(canary=""))) == ["the case has no canary"]


def test_a_number_inside_another_is_no_answer() -> None:
    checks = [{"kind": "contains_number", "weight": 1, "value": 47}]
    assert list(leaks.prompt_leaks(case(prompt="In 1947 or 470 of them?", checks=checks))) == []


@pytest.mark.parametrize(
    "check",
    [
        {"kind": "contains_text", "value": "mm find ."},
        {"kind": "path_exists", "path": "../state/mm.db"},
        {"kind": "artifact_exists", "path": "/run/box/calls/1"},
    ],
)
def test_a_check_that_only_an_arm_with_mm_can_pass_is_told(check: dict[str, Any]) -> None:
    assert list(leaks.dependence_on_mm(case(checks=[{"weight": 1} | check])))


def test_a_validator_that_looks_for_mm_is_told() -> None:
    assert list(leaks.dependence_on_mm(case(validator="open('.config/mm/mm.toml')")))


def test_millimetres_are_no_trace_of_mm() -> None:
    checks = [{"kind": "contains_text", "weight": 1, "value": "210 mm wide"}]
    assert list(leaks.dependence_on_mm(case(checks=checks))) == []
