"""Every kind of tampering is found, with real git, and an honest history passes."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from mmbench import cleanup, cli, jsontext, ledger
from mmbench.errors import UsageError
from mmbench.layout import Project
from mmbench.ledger import Ledger
from mmbench.verify import anchor, verify
from tests.support import sessions

IDENTITY = ("-c", "user.name=Someone", "-c", "user.email=someone@example.invalid")


def git(folder: Path, *arguments: str) -> str:
    return subprocess.run(
        ["git", "-C", str(folder), *IDENTITY, *arguments], capture_output=True, text=True, check=True
    ).stdout.strip()


@pytest.fixture
def where(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """Return a repository with one committed session, far from the user's own git settings."""
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    for role in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{role}_NAME", "Someone")
        monkeypatch.setenv(f"GIT_{role}_EMAIL", "someone@example.invalid")
    results = tmp_path / "results"
    sessions.write(results / "s1.jsonl", sessions.keys(), done=2)
    git(tmp_path, "init", "--quiet", "--initial-branch=main")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "-m", "first")
    return Project(tmp_path, results)


def grow(where: Project) -> None:
    book, _ = Ledger.open(where.ledger("s1"))
    with book:
        book.append("trial", sessions.trial(sessions.keys()[2]))


def rebuild(path: Path, change: Callable[[dict[str, object]], object]) -> None:
    """Write a file anew with a valid chain, as somebody who wants to hide a change would."""
    values, _, _ = ledger.read(path)
    prev, lines = None, []
    for value in values:
        change(value)
        data = jsontext.dumps(value | {"prev": prev}).encode()
        prev = jsontext.sha256(data)
        lines.append(data + b"\n")
    path.write_bytes(b"".join(lines))


def lower(value: dict[str, object]) -> None:
    if value["kind"] == "checks":
        value["correctness"] = 99.0


TAMPERING: dict[str, Callable[[list[bytes]], list[bytes]]] = {
    "an edited score": lambda ls: [
        *ls[:2], ls[2].replace(b'"correctness":100.0', b'"correctness":99.0'), *ls[3:]
    ],
    "a dropped line": lambda ls: [*ls[:3], *ls[4:]],
    "two swapped lines": lambda ls: [*ls[:2], ls[3], ls[2], *ls[4:]],
    "a merge marker": lambda ls: [*ls[:3], b"<<<<<<< HEAD", *ls[3:]],
    "a torn last line": lambda ls: [*ls[:-1], ls[-1][:30]],
}  # fmt: skip


@pytest.mark.parametrize("name", TAMPERING)
def test_tampering_is_found_with_its_first_line(where: Project, name: str) -> None:
    path = where.ledger("s1")
    lines = path.read_bytes().split(b"\n")[:-1]
    changed = b"\n".join(TAMPERING[name](lines)) + (b"" if "torn" in name else b"\n")
    assert changed != path.read_bytes()
    path.write_bytes(changed)
    faults = verify(where).faults
    assert len(faults) == 1
    assert faults[0].line in (3, 4, 5)
    assert verify(where, since="HEAD").faults[1].reason.endswith("at HEAD: results are only appended to")


def test_an_honest_history_verifies(where: Project) -> None:
    grow(where)
    found = verify(where, since="HEAD")
    assert found.faults == []
    assert (found.files, found.lines, found.compared) == (1, 6, 1)
    assert "1 file compared with" in found.summary()


def test_a_rewritten_history_passes_alone_and_fails_against_git(where: Project) -> None:
    rebuild(where.ledger("s1"), lower)
    assert verify(where).faults == []
    (fault,) = verify(where, since="HEAD").faults
    assert (fault.file, fault.line) == ("results/s1.jsonl", 3)
    assert "not what it was at HEAD" in fault.reason


def test_a_cut_or_deleted_file_is_found_against_git(where: Project) -> None:
    path = where.ledger("s1")
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-2]))
    assert verify(where).faults == []
    assert "lines that were there are gone" in verify(where, since="main").faults[0].reason
    path.unlink()
    assert "is gone" in verify(where, since="main").faults[0].reason


def test_an_expected_head_is_the_last_line(where: Project) -> None:
    path = where.ledger("s1")
    head = ledger.load(path).head
    assert verify(where, [path], head=head).faults == []
    grow(where)
    (fault,) = verify(where, [path], head=head).faults
    assert "it is line 5's" in fault.reason
    with pytest.raises(UsageError, match="one file"):
        verify(Project(where.root, where.root / "none"), head=head)


def test_an_anchor_holds_a_line(where: Project) -> None:
    said = anchor(where, "s1")
    assert "line 5" in said
    assert "not signed" in said
    grow(where)
    found = verify(where)
    assert (found.faults, found.anchored) == ([], 1)
    rebuild(where.ledger("s1"), lower)
    (fault,) = verify(where).faults
    assert fault.line == 5
    assert "the tag mmbench/s1 holds" in fault.reason
    with pytest.raises(UsageError, match="already exists"):
        anchor(where, "s1")


def test_a_damaged_or_unknown_session_is_not_anchored(where: Project) -> None:
    with pytest.raises(UsageError, match="no session 's2'"):
        anchor(where, "s2")
    path = where.ledger("s1")
    path.write_bytes(path.read_bytes().replace(b'"correctness":100.0', b'"correctness":99.0'))
    with pytest.raises(UsageError, match="damaged"):
        anchor(where, "s1")


@pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="signing needs ssh-keygen")
def test_an_anchor_is_signed_where_git_signs(where: Project, tmp_path: Path) -> None:
    key = tmp_path / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)], check=True)
    for name, value in (("gpg.format", "ssh"), ("user.signingKey", str(key)), ("tag.gpgSign", "true")):
        git(where.root, "config", name, value)
    assert "signed tag" in anchor(where, "s1")
    assert "BEGIN SSH SIGNATURE" in git(where.root, "cat-file", "tag", "mmbench/s1")
    assert verify(where).anchored == 1


def test_unknown_revisions_and_places_are_explained(where: Project, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no commit 'nowhere'"):
        verify(where, since="nowhere")
    with pytest.raises(UsageError, match="no commit '--help'"):
        verify(where, since="--help")
    with pytest.raises(UsageError, match="no results file"):
        verify(where, [tmp_path / "missing.jsonl"])


def test_results_outside_of_git_cannot_be_compared(tmp_path: Path) -> None:
    sessions.write(tmp_path / "s1.jsonl", sessions.keys(), done=1)
    outside = Project(tmp_path, tmp_path)
    assert verify(outside).faults == []
    with pytest.raises(UsageError, match="no git repository"):
        verify(outside, since="HEAD")


def test_the_command_tells_the_line_and_exits_with_4(
    where: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["verify", "--results", str(where.results), "--since", "main"]) == 0
    path = where.ledger("s1")
    path.write_bytes(path.read_bytes().replace(b'"correctness":100.0', b'"correctness":99.0'))
    assert cli.main(["verify", "--results", str(where.results)]) == 4
    shown = capsys.readouterr()
    assert "results/s1.jsonl:4: /: prev is not the hash of the line before" in shown.err
    assert "1 results file, 5 lines: 1 fault\n" in shown.out


def clean_up(where: Project, what: str = "streams") -> None:
    line = {"session": "s1", "what": what, "files": 2, "bytes": 9, "result": "removed", "error": None}
    with cleanup.writer(where.results, "s1") as book:
        book.append(cleanup.RECORD, line)


def test_a_clean_up_log_is_chained_and_only_appended_to(where: Project) -> None:
    clean_up(where)
    git(where.root, "add", ".")
    git(where.root, "commit", "--quiet", "-m", "clean up")
    clean_up(where, "artifacts")
    found = verify(where, since="HEAD")
    assert found.faults == []
    assert (found.compared, found.beside) == (2, 1)
    assert [removal.what for removal in cleanup.read(where.results, "s1")] == ["streams", "artifacts"]
    path = cleanup.path_of(where.results, "s1")
    path.write_bytes(path.read_bytes().splitlines(keepends=True)[1])
    faults = verify(where, since="HEAD").faults
    assert {fault.file for fault in faults} == {"results/cleanup/s1.jsonl"}
    assert "expected 0" in faults[0].reason and "only appended to" in faults[-1].reason


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda data: data.replace(b'"what":"streams"', b'"what":"scores"'), "'scores' is not one of"),
        (lambda data: data.replace(b'"session":"s1"', b'"session":"s2"'), "it speaks of 's2'"),
        (lambda data: data[:-1], "the last line is torn"),
        (lambda data: b"<<<<<<< HEAD\n" + data, "not a JSON object"),
    ],
)
def test_a_damaged_clean_up_log_is_found(
    where: Project, change: Callable[[bytes], bytes], reason: str
) -> None:
    clean_up(where)
    path = cleanup.path_of(where.results, "s1")
    path.write_bytes(change(path.read_bytes()))
    (fault,) = verify(where).faults
    assert fault.file == "results/cleanup/s1.jsonl" and reason in fault.reason


def test_figures_on_a_judge_are_checked(where: Project) -> None:
    (where.results / "judge").mkdir()
    (where.results / "judge" / "accuracy-0.json").write_text('{"kind": "accuracy", "v": 2}')
    faults = verify(where).faults
    assert faults and {fault.file for fault in faults} == {"results/judge/accuracy-0.json"}
