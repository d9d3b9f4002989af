"""What must hold before a session: each failure names its reason and its fix."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from mmbench.bench import preflight, profiles
from mmbench.bench.endpoint import EndpointError
from mmbench.bench.profiles import Profile
from mmbench.errors import PrerequisiteError
from tests.support.upstream import Asked, Reply, Upstream

PROFILE = Profile("mine", "adhoc", "", "small", "sk-mine")


def chat(asked: Asked) -> Reply:
    answer = {"model": "small-2026", "choices": [{"message": {"content": "p"}}], "data": [{"id": "small"}]}
    return Reply(body=json.dumps(answer).encode())


def test_a_profile_that_answers_one_token_passes() -> None:
    with Upstream(chat) as upstream:
        passed = preflight.profile(replace(PROFILE, base_url=f"{upstream.url}/v1"))
        (asked,) = [json.loads(one.body) for one in upstream.asked if one.method == "POST"]
    assert passed.what == "profile mine"
    assert "small-2026 answers" in passed.detail
    assert asked["max_tokens"] == 1


def test_a_profile_whose_key_is_refused_stops_with_the_reason() -> None:
    refusal = Reply(401, b'{"error": {"message": "bad key sk-mine"}}')
    with Upstream(refusal) as upstream, pytest.raises(EndpointError) as caught:
        preflight.profile(replace(PROFILE, base_url=f"{upstream.url}/v1"))
    assert (caught.value.reason, caught.value.exit_code) == ("auth", 3)
    assert "sk-mine" not in str(caught.value)


def test_the_local_profile_is_not_asked() -> None:
    assert preflight.profile(profiles.local("http://127.0.0.1:9/v1")).detail == "served on this machine"


def test_results_that_cannot_be_written_stop_a_session(tmp_path: Path) -> None:
    assert preflight.writable_results(tmp_path / "new").detail == "writable"
    assert not list((tmp_path / "new").iterdir())
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(PrerequisiteError) as caught:
        preflight.writable_results(tmp_path / "file" / "results")
    assert "--results" in caught.value.fix


def test_a_full_disk_stops_a_session(tmp_path: Path) -> None:
    assert "GB free" in preflight.free_space(tmp_path, 1, 1).detail
    with pytest.raises(PrerequisiteError) as caught:
        preflight.free_space(tmp_path, 1 << 60, 1)
    assert "MMBENCH_STATE" in caught.value.fix
