"""The real client against a loopback hub that cuts, refuses, is busy and sends other bytes."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from pathlib import Path

import pytest
from huggingface_hub import constants

from mmbench import cli, ledger
from mmbench.bench import dataset, hub, hub_client
from mmbench.errors import DataError, MmbenchError, PrerequisiteError, UsageError
from tests.support import tiny
from tests.support.hub import COMMIT, Hub
from tests.support.upstream import Upstream
from tests.test_case import DOCUMENT

NOWHERE = "http://127.0.0.1:9"
FILES = {
    "README.md": b"# A dataset\n",
    "cases.jsonl": json.dumps(DOCUMENT | {"dataset": "mmbench-agent"}).encode() + b"\n",
    "mmbench-agent/a.txt": b"heron\n",
    "mmbench-agent/deep/video.bin": bytes(range(256)) * 40,
    "mmbench-agent/deep/cases.jsonl": b"part of the data\n",
}
SPEC = f"hf:{hub.BUILT_IN_REPO}@v1"


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(hub_client, "PAUSE_S", 0.0)
    monkeypatch.setenv("HF_HOME", str(tmp_path / "home"))


def made(**more: object) -> Hub:
    return Hub(hub.BUILT_IN_REPO, dict(FILES), **more)  # type: ignore[arg-type]


def fetched(server: Upstream) -> Counter[str]:
    """Count the downloads by file."""
    return Counter(
        asked.path.split(f"/resolve/{COMMIT}/")[1]
        for asked in server.asked
        if asked.method == "GET" and "/resolve/" in asked.path
    )


def tree(root: Path) -> dict[str, bytes]:
    return {p.relative_to(root).as_posix(): p.read_bytes() for p in root.rglob("*") if p.is_file()}


def test_a_revision_becomes_a_commit_and_every_file_is_checked(tmp_path: Path) -> None:
    with made().serve() as server:
        found = hub.fetch(SPEC, tmp_path, server.url)
    assert found.revision == COMMIT
    assert found.name == "hf-vlm-run--mmbench"
    expected = {name: data for name, data in FILES.items() if name.startswith("mmbench-agent/")}
    assert tree(found.root) == expected
    assert found.hashes == {name: hashlib.sha256(data).hexdigest() for name, data in expected.items()}
    assert found.size == sum(map(len, expected.values()))
    folder, hashes = found.subtree("mmbench-agent/deep")
    assert folder.is_dir()
    assert set(hashes) == {"video.bin", "cases.jsonl"}


def test_cases_and_readme_are_not_in_what_sandboxes_are_made_of(tmp_path: Path) -> None:
    with made().serve() as server:
        found = hub.fetch("hf", tmp_path, server.url)
    assert not (found.root / "cases.jsonl").exists()
    assert tree(found.root.parent / "about").keys() == {"cases.jsonl", "README.md"}
    assert not (found.root.parent / "incoming").exists()


def test_a_second_fetch_downloads_nothing_and_only_what_is_missing_comes_again(tmp_path: Path) -> None:
    with made().serve() as server:
        first = hub.fetch(SPEC, tmp_path, server.url)
        assert fetched(server) == dict.fromkeys(FILES, 1)
        assert hub.fetch(SPEC, tmp_path, server.url) == first
        assert sum(fetched(server).values()) == len(FILES)
        (first.root / "mmbench-agent/a.txt").write_bytes(b"heroN\n")
        (first.root / "mmbench-agent/deep/video.bin").unlink()
        assert hub.fetch(SPEC, tmp_path, server.url) == first
        again = fetched(server)
    assert {name for name, count in again.items() if count == 2} == {
        "mmbench-agent/a.txt", "mmbench-agent/deep/video.bin",
    }  # fmt: skip
    assert (first.root / "mmbench-agent/a.txt").read_bytes() == b"heron\n"


def test_a_whole_commit_needs_no_hub_and_a_revision_is_remembered(tmp_path: Path) -> None:
    with made().serve() as server:
        first = hub.fetch(SPEC, tmp_path, server.url)
        asked = len(server.asked)
        assert hub.fetch(f"hf:{hub.BUILT_IN_REPO}@{COMMIT}", tmp_path, server.url) == first
        assert len(server.asked) == asked
    assert hub.fetch(SPEC, tmp_path, NOWHERE) == first
    with pytest.raises(PrerequisiteError, match="cannot be reached"):
        hub.fetch("hf:vlm-run/mmbench@other", tmp_path, NOWHERE)


def test_a_cut_download_goes_on_where_it_was_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(constants, "DOWNLOAD_CHUNK_SIZE", 1000)  # what was cut inside a piece comes again
    with made(cuts=2).serve() as server:
        found = hub.fetch(SPEC, tmp_path, server.url)
        ranges = [asked.headers["range"] for asked in server.asked if "range" in asked.headers]
    assert len(tree(found.root)) == 3
    assert any(not wanted.startswith("bytes=0-") for wanted in ranges)


def test_a_fetch_that_was_killed_goes_on_with_what_is_missing(tmp_path: Path) -> None:
    broken = made()
    del broken.files["mmbench-agent/deep/video.bin"]
    broken.extra = {"mmbench-agent/deep/video.bin": 10_240}
    with broken.serve() as server, pytest.raises(MmbenchError):
        hub.fetch(SPEC, tmp_path, server.url)
    with made().serve() as server:
        hub.fetch(SPEC, tmp_path, server.url)
        again = fetched(server)
    assert again["mmbench-agent/deep/video.bin"] == 1
    assert "mmbench-agent/a.txt" not in again


def test_a_busy_hub_is_asked_again(tmp_path: Path) -> None:
    with made(busy=2).serve() as server:
        assert hub.fetch(SPEC, tmp_path, server.url).revision == COMMIT


def test_wrong_bytes_are_fetched_anew_and_refused_when_they_stay(tmp_path: Path) -> None:
    name = "mmbench-agent/deep/video.bin"
    with made(corrupt=Counter({name: 1})).serve() as server:
        found = hub.fetch(SPEC, tmp_path / "once", server.url)
    assert (found.root / name).read_bytes() == FILES[name]
    with (
        made(corrupt=Counter({name: 9})).serve() as server,
        pytest.raises(DataError, match=r"video\.bin is not what its listing says"),
    ):
        hub.fetch(SPEC, tmp_path / "always", server.url)
    assert not list((tmp_path / "always").rglob("video.bin"))


def test_a_private_dataset_needs_the_users_token(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with made(token="hf_mine").serve() as server:
        with pytest.raises(PrerequisiteError, match="it is private") as refused:
            hub.fetch(SPEC, tmp_path, server.url)
        assert "HF_TOKEN" in refused.value.fix
        monkeypatch.setenv("HF_TOKEN", "hf_mine")
        assert hub.fetch(SPEC, tmp_path, server.url).revision == COMMIT


def test_a_gated_dataset_names_the_page_to_accept(tmp_path: Path) -> None:
    with made(token="hf_mine", gated=True).serve() as server, pytest.raises(PrerequisiteError) as refused:
        hub.fetch("hf", tmp_path, server.url)
    assert "gated" in refused.value.what
    assert refused.value.where == "https://huggingface.co/datasets/vlm-run/mmbench"
    assert "HF_TOKEN" in refused.value.fix


@pytest.mark.parametrize("spec", ["hf:only-a-name", "hf:../x", "hf:a/b@", "hf:a/../b"])
def test_a_strange_name_is_refused(spec: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="hf:OWNER/NAME"):
        hub.fetch(spec, tmp_path)


def test_a_missing_dataset_and_revision_are_told_apart(tmp_path: Path) -> None:
    with made().serve() as server:
        with pytest.raises(UsageError, match="no revision 'v9'"):
            hub.fetch("hf:vlm-run/mmbench@v9", tmp_path, server.url)
        with pytest.raises(PrerequisiteError, match="There is no dataset vlm-run/other"):
            hub.fetch("hf:vlm-run/other", tmp_path, server.url)


@pytest.mark.parametrize("name", ["../evil.txt", "/etc/evil", "a/../../evil", ".cache/huggingface/x", "a\\b"])
def test_a_listing_cannot_name_a_place_outside(name: str, tmp_path: Path) -> None:
    with made(extra={name: 4}).serve() as server, pytest.raises(DataError, match="refused"):
        hub.fetch(SPEC, tmp_path, server.url)
    assert not list(tmp_path.rglob("*evil*"))


def test_a_full_disk_is_told_before_anything_is_fetched(tmp_path: Path) -> None:
    with made(extra={"mmbench-agent/huge.bin": 1 << 60}).serve() as server:
        with pytest.raises(PrerequisiteError, match="MB are to be fetched"):
            hub.fetch(SPEC, tmp_path, server.url)
        assert not fetched(server)


def test_the_cases_that_come_along_are_a_suite_over_the_commit(tmp_path: Path) -> None:
    with made().serve() as server:
        suite = hub.suite("hf", tmp_path, server.url)
    assert (suite.name, suite.dataset) == ("vlm-run--mmbench", f"hf:vlm-run/mmbench@{COMMIT}")
    assert [case.id for case in suite.cases] == ["find-it"]
    assert dataset.resolve(suite.dataset, tmp_path).hashes.keys() == {
        "mmbench-agent/a.txt", "mmbench-agent/deep/video.bin", "mmbench-agent/deep/cases.jsonl",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("program", "agent"),
    [({"validator": "print(1)"}, None), ({"solutions": {"without_mm": "cat word.txt"}}, "oracle")],
)
def test_programs_from_the_hub_need_a_sandbox(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    program: dict[str, object],
    agent: str | None,
) -> None:
    place = tiny.make(tmp_path)
    for name, value in place.environment().items():
        monkeypatch.setenv(name, value)
    case = json.dumps({"id": "word-0", **tiny.CASE, "dataset": "mmbench-agent", **program}).encode()
    served = Hub("someone/words", {"cases.jsonl": case, "mmbench-agent/word.txt": b"heron\n"})
    with served.serve() as server:
        hub.fetch("hf:someone/words", place.project.datasets, server.url)
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    assert cli.main(place.words("--suite", "hf:someone/words", agent=agent)) == 3
    assert "with a program of its own" in capsys.readouterr().err
    assert not list(place.results.glob("*.jsonl"))


def test_a_session_runs_on_the_suite_of_a_hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tiny.make(tmp_path)
    for name, value in place.environment().items():
        monkeypatch.setenv(name, value)
    case = json.dumps({"id": "word-0", **tiny.CASE, "dataset": "mmbench-agent"}).encode()
    served = Hub("someone/words", {"cases.jsonl": case, "mmbench-agent/word.txt": b"heron\n"})
    with served.serve() as server:
        hub.fetch("hf:someone/words", place.project.datasets, server.url)
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    assert cli.main(place.words("--suite", "hf:someone/words")) == 0
    header = ledger.load(place.ledger).header
    assert header["plan"]["suite"] == "someone--words"
    assert header["provenance"]["dataset"]["revision"] == COMMIT
    assert "hf:someone/words" in header["provenance"]["command"]
