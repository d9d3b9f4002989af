from __future__ import annotations

import json
import re
import sqlite3
import subprocess
import tomllib
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmbench.bench.mm import at
from mmbench.bench.mmhome import NotedTokens, materialise, mm_env, read_mm_db
from mmbench.bench.profiles import Profile
from tests.support.mm import EXECUTABLE as MM

URL = "http://127.0.0.1:5555/t/Token-of_trial/v1"
PROFILE = Profile("mine", "named", "https://api.example.com/v1", "some/vlm", "sk-secret")


def test_the_trial_gets_one_profile_at_the_meter_and_no_key(tmp_path: Path) -> None:
    path = materialise(PROFILE, URL, tmp_path)
    assert tomllib.loads(path.read_text()) == {
        "active_profile": "bench",
        "profile": {"bench": {"base_url": URL, "api_key": "metered", "model": "some/vlm"}},
    }
    assert not any("sk-secret" in file.read_text() for file in tmp_path.rglob("*") if file.is_file())


@given(st.text(st.characters(categories=["L", "N", "P", "S", "Zs"]), min_size=1))
def test_any_model_name_survives_the_file(tmp_path_factory: pytest.TempPathFactory, model: str) -> None:
    home = tmp_path_factory.mktemp("home")
    path = materialise(Profile("p", "adhoc", "http://h", model), URL, home)
    assert tomllib.loads(path.read_text(encoding="utf-8"))["profile"]["bench"]["model"] == model


def test_the_real_mm_takes_it(tmp_path: Path) -> None:
    materialise(PROFILE, URL, tmp_path)
    env = {"PATH": "/usr/bin:/bin", **mm_env(tmp_path, URL)}
    done = subprocess.run(
        [MM, "profile", "list", "--format", "json"], env=env, capture_output=True, check=True
    )
    listed = json.loads(done.stdout)
    assert listed["active"] == "bench"
    assert listed["profiles"]["bench"]["base_url"] == URL
    assert listed["profiles"]["bench"]["model"] == "some/vlm"


def mm_sources() -> str:
    return "\n".join(path.read_text() for path in (at(MM).site_packages / "mm").rglob("*.py"))


def test_whatever_mm_reads_from_its_environment_is_fixed(tmp_path: Path) -> None:
    text = mm_sources()
    read = set(re.findall(r'(?:environ(?:\.get|\.setdefault)?|getenv)[\[(]\s*"([A-Z_]+)"', text))
    assert "MM_EMBEDDING_BASE_URL" in read
    assert read - set(mm_env(tmp_path, URL)) == set()


def test_the_embedding_model_is_the_one_mm_would_take(tmp_path: Path) -> None:
    assert f'"MM_EMBEDDING_MODEL", "{mm_env(tmp_path, URL)["MM_EMBEDDING_MODEL"]}"' in mm_sources()


def test_every_folder_and_address_is_inside_the_trial(tmp_path: Path) -> None:
    env = mm_env(tmp_path, URL)
    folders = {name for name in env if name.endswith(("HOME", "_DIR"))} - {"PYTHONHOME"}
    assert {"HOME", "MM_DATA_DIR", "MM_CONFIG_DIR", "MM_CACHE_DIR"} <= folders
    assert all(Path(env[name]).is_relative_to(tmp_path) for name in folders)
    addresses = {value for value in env.values() if value.startswith("http")}
    assert addresses == {URL, "http://Token-of_trial:x@127.0.0.1:5555"}


def database(home: Path, *metadata: str | None) -> Path:
    path = home / ".local" / "share" / "mm" / "mm.db"
    path.parent.mkdir(parents=True, exist_ok=True)
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE extractions (id TEXT, metadata TEXT)")
        connection.executemany("INSERT INTO extractions VALUES ('x', ?)", [(row,) for row in metadata])
    connection.close()
    return path


def suffix(text: str) -> str:
    return json.dumps({"verbose_suffix": f"[dim]generate: bench • 851ms • {text} tokens[/dim]"})


def test_tokens_noted_by_mm_are_summed(tmp_path: Path) -> None:
    database(
        tmp_path,
        suffix("1234→56"),
        suffix("6→4"),
        suffix("no"),
        None,
        "not json",
        "[]",
        '{"verbose_suffix": 5}',
    )
    assert read_mm_db(tmp_path) == NotedTokens(1240, 60, 7)


def test_a_database_without_a_note_tells_so(tmp_path: Path) -> None:
    database(tmp_path)
    assert read_mm_db(tmp_path) == NotedTokens(0, 0, 0)


def test_notes_that_an_agent_forged_break_nothing(tmp_path: Path) -> None:
    database(tmp_path, suffix(f"{'9' * 5000}→1"), "[" * 100_000, suffix("2→3"))
    assert read_mm_db(tmp_path) == NotedTokens(2, 3, 3)


def test_a_view_that_never_ends_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mmbench.bench.agents.database.CHECKS", 3)
    path = tmp_path / "data" / "mm.db"
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as connection:
        endless = (
            "WITH RECURSIVE n(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM n) SELECT a AS metadata FROM n"
        )
        connection.execute(f"CREATE VIEW extractions AS {endless}")
        connection.commit()
    assert read_mm_db(tmp_path) is None


def test_no_database_and_a_broken_one_are_none(tmp_path: Path) -> None:
    assert read_mm_db(tmp_path) is None
    path = tmp_path / ".local" / "share" / "mm" / "mm.db"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"SQLite format 3\0" + b"junk" * 500)
    assert read_mm_db(tmp_path) is None


def test_a_database_that_is_a_link_is_not_followed(tmp_path: Path) -> None:
    path = database(tmp_path / "elsewhere", suffix("1→1"))
    link = tmp_path / "home" / ".local" / "share" / "mm" / "mm.db"
    link.parent.mkdir(parents=True)
    link.symlink_to(path)
    assert read_mm_db(tmp_path / "home") is None


def test_a_folder_that_leads_out_of_the_home_is_not_entered(tmp_path: Path) -> None:
    path = database(tmp_path / "elsewhere", suffix("1→1"))
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "data").symlink_to(path.parent)
    assert read_mm_db(tmp_path / "home") is None
