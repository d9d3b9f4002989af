from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from mmbench.bench.local import WHISPER_BASE, Missing, Weights, find_weights
from mmbench.bench.local.weights import FOLDER_VARIABLE, Pin, faults
from mmbench.errors import DataError, UsageError
from tests.support.upstream import Asked, Reply, Upstream

ROOT = Path(__file__).resolve().parents[3]
CONTENTS = {"config.json": b"{}", "model.bin": b"weights" * 1000, "vocabulary.txt": b"a\nb\n"}
REVISION = "0123456789abcdef0123456789abcdef01234567"
PIN = Pin(
    "someone/tiny",
    REVISION,
    {name: (len(data), hashlib.sha256(data).hexdigest()) for name, data in CONTENTS.items()},
)


@pytest.fixture(autouse=True)
def no_named_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(FOLDER_VARIABLE, raising=False)


def fill(folder: Path, **changed: bytes) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in CONTENTS.items():
        (folder / name).write_bytes(changed.get(name.partition(".")[0], data))
    return folder


def found(*args: object, **kwargs: object) -> Weights:
    value = find_weights(*args, pin=PIN, **kwargs)  # type: ignore[arg-type]
    assert isinstance(value, Weights)
    return value


def test_the_pin_is_complete() -> None:
    assert WHISPER_BASE.name == "Systran/faster-whisper-base@ebe41f70d5b6"
    assert WHISPER_BASE.size == 147_882_941
    assert all(len(sha256) == 64 for _, sha256 in WHISPER_BASE.files.values())


def test_a_named_folder_with_the_pinned_files_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = fill(tmp_path / "mine")
    by_option = found(tmp_path / "models", folder)
    monkeypatch.setenv(FOLDER_VARIABLE, str(folder))
    assert found(tmp_path / "models") == by_option
    assert by_option.folder == folder
    assert by_option.name == "someone/tiny@0123456789ab"


@pytest.mark.parametrize(
    ("changed", "reason"),
    [({"model": b"weightS" * 1000}, "other content"), ({"model": b"short"}, "has 5 bytes instead of 7000")],
)
def test_a_named_folder_with_other_bytes_is_an_error(
    tmp_path: Path, changed: dict[str, bytes], reason: str
) -> None:
    with pytest.raises(DataError, match=reason):
        find_weights(tmp_path, fill(tmp_path / "mine", **changed), pin=PIN)


def test_a_named_folder_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="does not exist"):
        find_weights(tmp_path, tmp_path / "nowhere", pin=PIN)


def test_the_store_is_used_without_asking_anyone(tmp_path: Path) -> None:
    fill(tmp_path / "tiny-0123456789ab")
    assert found(tmp_path, fetch=False).folder == tmp_path / "tiny-0123456789ab"


def test_a_damaged_store_is_not_used(tmp_path: Path) -> None:
    fill(tmp_path / "tiny-0123456789ab", config=b"[]")
    assert isinstance(find_weights(tmp_path, fetch=False, pin=PIN), Missing)


# The hub's client reads its settings when it is imported, so it runs in a process of its own.
FETCH = """
import sys
from pathlib import Path
from mmbench.bench.local.weights import Pin, find_weights
from tests.bench.local.test_weights import PIN
print(find_weights(Path(sys.argv[1]), pin=PIN))
"""


def fetch(models: Path, endpoint: str, **more: str) -> subprocess.CompletedProcess[str]:
    env = {
        **os.environ,
        "HF_ENDPOINT": endpoint,
        "HF_HOME": str(models / "home"),
        "HF_HUB_DISABLE_XET": "1",
        **more,
    }
    command = [sys.executable, "-c", FETCH, str(models)]
    return subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=60, check=True)


def hub(contents: dict[str, bytes]) -> Upstream:
    def reply(asked: Asked) -> Reply:
        name = asked.path.rsplit("/", 1)[1]
        if asked.path != f"/someone/tiny/resolve/{REVISION}/{name}" or name not in contents:
            return Reply(404)
        tag = hashlib.sha256(contents[name]).hexdigest()
        headers = {"etag": f'"{tag}"', "x-repo-commit": REVISION, "content-type": "application/octet-stream"}
        return Reply(200, contents[name], headers)

    return Upstream(reply)


def test_weights_are_fetched_from_the_hub_at_the_pinned_commit_once(tmp_path: Path) -> None:
    with hub(CONTENTS) as upstream:
        first = fetch(tmp_path, upstream.url)
        asked = len(upstream.asked)
        second = fetch(tmp_path, upstream.url)
        assert len(upstream.asked) == asked
    assert first.stdout == second.stdout
    assert first.stdout.startswith("Weights(")
    assert not faults(tmp_path / "tiny-0123456789ab", PIN)
    assert not (tmp_path / "tiny-0123456789ab.partial").exists()
    assert first.stderr == ""


def test_what_the_hub_sends_is_refused_unless_every_hash_fits(tmp_path: Path) -> None:
    with hub({**CONTENTS, "model.bin": b"Weights" * 1000}) as upstream:
        done = fetch(tmp_path, upstream.url)
    assert "refused: model.bin has other content" in done.stdout
    assert not (tmp_path / "tiny-0123456789ab").exists()


def test_a_broken_download_says_so_and_goes_on_next_time(tmp_path: Path) -> None:
    with hub({name: data for name, data in CONTENTS.items() if name != "vocabulary.txt"}) as upstream:
        assert "the download stopped" in fetch(tmp_path, upstream.url).stdout
    with hub(CONTENTS) as upstream:
        assert fetch(tmp_path, upstream.url).stdout.startswith("Weights(")
        got = [asked.path for asked in upstream.asked if asked.method == "GET" and "/resolve/" in asked.path]
    assert [path.rsplit("/", 1)[1] for path in got] == ["vocabulary.txt"]


@pytest.mark.parametrize(
    ("more", "reason"),
    [({}, "no connection to http://127.0.0.1:9"), ({"HF_HUB_OFFLINE": "1"}, "HF_HUB_OFFLINE is set")],
)
def test_offline_there_is_a_reason_and_not_a_word_more(
    tmp_path: Path, more: dict[str, str], reason: str
) -> None:
    done = fetch(tmp_path, "http://127.0.0.1:9", **more)
    assert done.stdout.startswith("Missing(")
    assert reason in done.stdout
    assert done.stderr == ""
