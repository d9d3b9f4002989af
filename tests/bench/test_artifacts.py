"""What agents wrote is copied under caps, regular files only, whole, whoever else writes the same."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from mmbench.bench import artifacts, sandbox, tree
from mmbench.bench.redact import Redactor
from mmbench.bench.trial import Executed, TrialSpec
from mmbench.case import Case
from mmbench.records import TrialKey
from tests.test_case import DOCUMENT

SECRET = "plain-secret-1"


class Trial:
    """A process room, the case, and where its artifacts go."""

    def __init__(self, root: Path, archetype: str = "artifact") -> None:
        source, programs = root / "source", root / "bin"
        for folder in (source, programs):
            folder.mkdir()
        (source / "given.txt").write_text("given")
        checks = [{"kind": "artifact_exists", "weight": 1, "path": "out.txt"}]
        document = DOCUMENT | {"archetype": archetype, "checks": checks, "dataset": "."}
        case = Case(document, "synthetic")
        hashes = {"given.txt": str(tree.file_hash(source / "given.txt"))}
        self.spec = TrialSpec(TrialKey("c", "with_mm", 1), 1, 0, case, "", 9.0, source, hashes)
        self.box = sandbox.make(
            root / "box", kind="process", source=source, mount="/workspace", bin_folder=programs
        )
        self.work = self.box.path("work")
        self.results = root / "results"
        self.folder = self.results / "artifacts" / "s1"

    def keep(self) -> list[dict[str, Any]]:
        """Keep what lies in the room now."""
        changes = tree.changes(self.work, self.box.before, tree.marks(self.work))
        executed = Executed({}, "", self.box, tuple(changes))
        return artifacts.keep(self.spec, executed, self.folder, self.results, Redactor.of([SECRET]))


@pytest.fixture
def trial(tmp_path: Path) -> Trial:
    return Trial(tmp_path)


def test_what_checks_name_comes_first_with_size_hash_and_type(trial: Trial) -> None:
    (trial.work / "aside.csv").write_text("a,b\n")
    (trial.work / "out.txt").write_text("made")
    named, aside = trial.keep()
    assert (named["path"], named["size"], named["media_type"]) == ("out.txt", 4, "text/plain")
    assert named["sha256"] == tree.file_hash(trial.work / "out.txt")
    assert (trial.results / named["stored"]).read_text() == "made"
    assert (aside["path"], aside["media_type"], aside["refused"]) == ("aside.csv", "text/csv", None)


def _link(path: Path) -> None:
    path.symlink_to("/etc/passwd")


def _sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(1 << 40)


def _large(path: Path) -> None:
    path.write_bytes(b"x" * (artifacts.MAX_ARTIFACT + 1))


def _secret(path: Path) -> None:
    path.write_text(f"the key is {SECRET}")


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (_link, "it is a symlink"),
        (os.mkfifo, "it is a pipe"),
        (Path.mkdir, "it is a directory"),
        (_sparse, "over the limit"),
        (_large, "over the limit"),
        (_secret, "it holds a secret"),
    ],
)
def test_what_may_not_be_copied_is_listed_with_its_reason(
    trial: Trial, make: Callable[[Path], None], reason: str
) -> None:
    make(trial.work / "out.txt")
    (entry,) = trial.keep()
    assert entry["stored"] is None
    assert reason in entry["refused"]
    assert not trial.folder.exists()


def test_files_beside_the_named_ones_are_few_small_and_new(trial: Trial) -> None:
    (trial.work / "copy.txt").write_text("given")
    (trial.work / "large.bin").write_bytes(b"x" * (artifacts.MAX_OTHER + 1))
    for number in range(artifacts.MAX_OTHERS + 3):
        (trial.work / f"note-{number}").write_text(f"note {number}")
    kept = trial.keep()
    assert len(kept) == artifacts.MAX_OTHERS
    assert all(entry["path"].startswith("note-") for entry in kept)


def test_what_was_moved_about_is_not_copied(tmp_path: Path) -> None:
    trial = Trial(tmp_path, "organization")
    (trial.work / "out.txt").write_text("made")
    assert trial.keep() == []


def test_trials_that_end_together_may_store_the_same_bytes(trial: Trial) -> None:
    many = 8
    start = threading.Barrier(many)

    def keep(_: int) -> list[dict[str, Any]]:
        start.wait()
        return trial.keep()

    with ThreadPoolExecutor(many) as executor:
        for turn in range(20):
            (trial.work / "out.txt").write_text(f"{turn} " * 50_000)
            (first,), *others = executor.map(keep, range(many))
            assert others == [[first]] * (many - 1)
            assert (trial.results / first["stored"]).read_text() == f"{turn} " * 50_000
    assert not list(trial.folder.glob(".*"))
