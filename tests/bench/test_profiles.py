from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmbench.bench import profiles
from mmbench.bench.profiles import Endpoint, Profile, adhoc, resolve
from mmbench.errors import DataError, PrerequisiteError, UsageError
from tests.support.mm import EXECUTABLE as MM

USERS = """
active_profile = "mine"

[profile.mine]
base_url = "https://api.example.com/v1/"
api_key = "sk-secret-of-mine"
model = "some/vlm:free"

[profile.bare]
model = "other"

[profile.gateway]
base_url = "https://not.the.gateway/v1"
api_key = "changed"
model = "changed"

[profile.broken]
base_url = "no url"
model = "m"
"""


def users(home: Path, text: str = USERS, place: str = ".config/mm/mm.toml") -> Path:
    path = home / place
    path.parent.mkdir(parents=True)
    path.write_text(text)
    return path


def test_a_profile_of_the_user_is_found_and_the_file_is_not_touched(tmp_path: Path) -> None:
    path = users(tmp_path)
    path.chmod(0o444)
    path.parent.chmod(0o555)
    before = path.stat().st_mtime_ns
    found = resolve("mine", mm=MM, home=tmp_path)
    assert found == Profile(
        "mine", "named", "https://api.example.com/v1", "some/vlm:free", "sk-secret-of-mine", None
    )
    assert (path.read_text(), path.stat().st_mtime_ns) == (USERS, before)
    assert [entry.name for entry in path.parent.iterdir()] == ["mm.toml"]
    path.parent.chmod(0o755)


@pytest.mark.parametrize("name", ["MyBox", "mybox"])
def test_a_profile_with_capitals_is_found_and_named_as_sessions_are(name: str, tmp_path: Path) -> None:
    users(tmp_path, USERS.replace("[profile.mine]", "[profile.MyBox]").replace('"mine"', '"MyBox"'))
    found = resolve(name, mm=MM, home=tmp_path)
    assert (found.name, found.api_key) == ("mybox", "sk-secret-of-mine")


def test_the_older_place_of_the_file_counts_too(tmp_path: Path) -> None:
    users(tmp_path, place=".mm/config.toml")
    assert resolve("mine", mm=MM, home=tmp_path).api_key == "sk-secret-of-mine"


@pytest.mark.parametrize("name", ["gateway", "ollama", "openrouter"])
def test_what_mm_ships_is_there_where_mm_was_never_configured(name: str, tmp_path: Path) -> None:
    found = resolve(name, mm=MM, home=tmp_path)
    assert (found.name, found.kind) == (name, "builtin")
    assert found.base_url.startswith("http")
    assert found.model
    assert list(tmp_path.iterdir()) == []


def test_what_mm_overrules_is_overruled(tmp_path: Path) -> None:
    shipped = resolve("gateway", mm=MM, home=tmp_path)
    users(tmp_path)
    configured = resolve("gateway", mm=MM, home=tmp_path)
    assert (configured.base_url, configured.model) == (shipped.base_url, shipped.model)
    assert configured.api_key == shipped.api_key


def test_what_is_left_out_is_what_mm_would_take(tmp_path: Path) -> None:
    users(tmp_path)
    bare, gateway = (resolve(name, mm=MM, home=tmp_path) for name in ("bare", "gateway"))
    assert (bare.model, bare.base_url, bare.api_key) == ("other", gateway.base_url, gateway.api_key)


def test_a_transcription_section_goes_along(tmp_path: Path) -> None:
    users(
        tmp_path, USERS + '\n[transcription]\nbase_url = "https://speech.example.com/v1"\napi_key = "sk-sp"\n'
    )
    assert resolve("mine", mm=MM, home=tmp_path).transcription == Endpoint(
        "https://speech.example.com/v1", "sk-sp"
    )


def test_a_fault_in_one_profile_does_not_bar_the_others(tmp_path: Path) -> None:
    users(tmp_path)
    assert resolve("mine", mm=MM, home=tmp_path).model
    with pytest.raises(UsageError, match="base URL"):
        resolve("broken", mm=MM, home=tmp_path)


def test_unknown_names_come_with_the_nearest(tmp_path: Path) -> None:
    users(tmp_path)
    with pytest.raises(UsageError, match="Did you mean gateway"):
        resolve("gatway", mm=MM, home=tmp_path)


def test_a_broken_file_is_named_not_taken_for_empty(tmp_path: Path) -> None:
    path = users(tmp_path, "[profile.x\n")
    with pytest.raises(DataError, match="not valid TOML") as caught:
        resolve("x", mm=MM, home=tmp_path)
    assert str(path) in str(caught.value)


def test_an_mm_that_does_not_run_is_a_missing_prerequisite(tmp_path: Path) -> None:
    with pytest.raises(PrerequisiteError, match="FileNotFoundError"):
        resolve("gateway", mm=tmp_path / "mm", home=tmp_path)
    with pytest.raises(PrerequisiteError, match="exit code 1"):
        resolve("gateway", mm=Path("/bin/false"), home=tmp_path)


def test_local_is_ours_and_needs_no_mm(tmp_path: Path) -> None:
    assert resolve(None, mm=tmp_path) == resolve("local", mm=tmp_path) == profiles.local()
    assert profiles.local("http://127.0.0.1:5/v1").base_url == "http://127.0.0.1:5/v1"


def test_an_ad_hoc_profile_is_made_of_three_flags() -> None:
    found = adhoc("m", "http://localhost:8000/v1/", "sk-x\n")
    assert found == Profile("adhoc", "adhoc", "http://localhost:8000/v1", "m", "sk-x")
    by_name = resolve("mine", mm=Path("mm"), model="m", base_url="http://h/v1", api_key="k")
    assert (by_name.name, by_name.kind) == ("mine", "adhoc")


@pytest.mark.parametrize("name", ["local", "Bad Name", "../up"])
def test_an_ad_hoc_profile_cannot_take_a_reserved_or_unsafe_name(name: str) -> None:
    with pytest.raises(UsageError, match="cannot be the name"):
        adhoc("m", "http://h/v1", "k", name)


def test_missing_flags_are_named() -> None:
    with pytest.raises(UsageError, match=r"needs --profile\.base-url and --profile\.api-key too"):
        resolve(None, mm=Path("mm"), model="m")


@pytest.mark.parametrize(
    "url",
    [
        "ftp://h/v1",
        "h/v1",
        "http://",
        "http://user:pass@h/v1",
        "http://h/v1?key=1",
        "http://h:99999/v1",
        "http://a b/",
    ],
)
def test_odd_base_urls_are_refused(url: str) -> None:
    with pytest.raises(UsageError):
        adhoc("m", url, "k")


@given(st.text(min_size=1), st.sampled_from(["\n", "\r", "\0", " ", "\x7f", "é"]))
def test_a_key_with_a_line_break_inside_is_refused_without_showing_it(key: str, odd: str) -> None:
    secret = f"sk-AAAA{odd}{key}BBBB"
    with pytest.raises(UsageError) as caught:
        adhoc("m", "http://h/v1", secret)
    assert "AAAA" not in str(caught.value)
    assert "BBBB" not in str(caught.value)


def test_a_key_is_never_shown() -> None:
    shown = repr(
        Profile("p", "named", "http://h/v1", "m", "sk-hidden", Endpoint("http://s", "sk-also-hidden"))
    )
    assert "hidden" not in shown
    assert "http://h/v1" in shown
