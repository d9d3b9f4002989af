"""Datasets from the Hugging Face hub: pinned to a commit, every file checked, fetched once.

<datasets>/hf/<owner>--<name>/
├── refs.json               revision → commit, as the hub last said
└── <commit>/
    ├── manifest.json       size and hashes of every file
    ├── tree/               what sandboxes are copied from
    ├── about/              cases.jsonl, README and the like: never in a sandbox
    └── incoming/           while files arrive
"""

from __future__ import annotations

import hashlib
import re
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from mmbench import atomic, case, jsontext
from mmbench.bench.dataset import Dataset
from mmbench.bench.hub_client import Spec, UnreachableError, api, asked
from mmbench.case import Suite
from mmbench.errors import DataError, PrerequisiteError, UsageError

BUILT_IN = "hf"
BUILT_IN_REPO = "vlm-run/mmbench"
CASES = "cases.jsonl"
_SPEC = re.compile(r"hf:([A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*)(?:@([\w./-]+))?")
_COMMIT = re.compile(r"[0-9a-f]{40}")
_ABOUT = re.compile(
    r"cases\.jsonl|suite\.json|readme.*|licen[cs]e.*|notice.*|\.gitattributes|\.gitignore", re.I
)
RESERVE = 256 << 20
"""Bytes that must be free beside what is fetched."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One file of a commit: the hub tells a SHA-256 for large files, git's SHA-1 for the others."""

    path: str
    size: int
    sha256: str | None
    git_sha1: str | None

    @property
    def place(self) -> PurePosixPath:
        """Return where it is kept: what tells of the cases must not be seen in a sandbox."""
        about = "/" not in self.path and _ABOUT.fullmatch(self.path)
        return PurePosixPath("about" if about else "tree") / self.path


def is_hub(name: str) -> bool:
    """Tell whether a name means a dataset or a suite of the hub."""
    return name == BUILT_IN or name.startswith("hf:")


def parse(name: str) -> Spec:
    """Read `hf` or `hf:OWNER/NAME[@REVISION]`; UsageError for anything else."""
    if name == BUILT_IN:
        return Spec(BUILT_IN_REPO)
    match = _SPEC.fullmatch(name)
    if match is None:
        raise UsageError(f"'{name}' is not of the form hf:OWNER/NAME@REVISION.", fix="Or use `hf` alone.")
    return Spec(match[1], match[2] or "main")


def suite(name: str, datasets: Path, endpoint: str | None = None) -> Suite:
    """Return the suite that a dataset of the hub brings along, over that dataset at its commit."""
    spec = parse(name)
    dataset = fetch(name, datasets, endpoint)
    path = dataset.root.parent / "about" / CASES
    if not path.is_file():
        raise DataError(
            f"The dataset {spec.repo} has no {CASES}.", where=spec.page, fix="Name a suite of your own."
        )
    loaded = case.load_suite(datasets, str(path))
    return Suite(spec.slug, f"hf:{spec.repo}@{dataset.revision}", loaded.cases)


def fetch(name: str, datasets: Path, endpoint: str | None = None) -> Dataset:
    """Return a dataset of the hub, with every file verified; only what is missing is fetched.

    A commit that is whole here is used without a word to the hub. Out of reach,
    the commit that a revision last meant is used.
    """
    spec = parse(name)
    home = datasets / "hf" / spec.slug
    with atomic.locked(home / "lock"):
        commit = spec.revision if _COMMIT.fullmatch(spec.revision) else None
        entries = _manifest(home / commit) if commit else None
        if commit is None or entries is None:
            commit, entries = _listing(spec, home, endpoint)
        store = home / commit
        hashes = _complete(spec, store, entries, endpoint)
        _write(store / "manifest.json", [asdict(entry) for entry in entries])
        shutil.rmtree(store / "incoming", ignore_errors=True)
    return _dataset(spec, commit, store, entries, hashes)


def _dataset(spec: Spec, commit: str, store: Path, entries: list[Entry], hashes: dict[str, str]) -> Dataset:
    kept = [entry for entry in entries if entry.place.parts[0] == "tree"]
    (store / "tree").mkdir(exist_ok=True)
    own = {entry.path: hashes[entry.path] for entry in kept}
    size = sum(entry.size for entry in kept)
    return Dataset(f"hf-{spec.slug}", commit, store / "tree", jsontext.digest(sorted(own.items())), own, size)


def _manifest(store: Path) -> list[Entry] | None:
    path = store / "manifest.json"
    return [Entry(**entry) for entry in jsontext.loads(path.read_bytes())] if path.is_file() else None


def _write(path: Path, value: Any) -> None:
    atomic.write(path, jsontext.canonical(value) + b"\n")


def _listing(spec: Spec, home: Path, endpoint: str | None) -> tuple[str, list[Entry]]:
    """Ask the hub for the commit and its files; out of reach, use what was fetched before."""
    try:
        info = asked(
            spec, lambda: api(endpoint).dataset_info(spec.repo, revision=spec.revision, files_metadata=True)
        )
    except UnreachableError as error:
        return _known(spec, home, error)
    entries = [_entry(spec, sibling) for sibling in info.siblings or ()]
    if info.sha is None or not entries:
        raise DataError(f"The dataset {spec.repo} is empty.", where=spec.page)
    refs = home / "refs.json"
    known = jsontext.loads(refs.read_bytes()) if refs.is_file() else {}
    _write(refs, known | {spec.revision: info.sha})
    return str(info.sha), entries


def _known(spec: Spec, home: Path, error: UnreachableError) -> tuple[str, list[Entry]]:
    refs = home / "refs.json"
    commit = jsontext.loads(refs.read_bytes()).get(spec.revision) if refs.is_file() else None
    entries = _manifest(home / commit) if commit else None
    if commit is None or entries is None:
        raise error
    return commit, entries


def _entry(spec: Spec, sibling: Any) -> Entry:
    path = PurePosixPath(sibling.rfilename)
    strange = path.is_absolute() or {"..", ".cache", ".git"} & set(path.parts) or "\\" in sibling.rfilename
    if strange or str(path) != sibling.rfilename or sibling.size is None:
        raise DataError(
            f"The dataset {spec.repo} names a file '{sibling.rfilename}', which is refused.", where=spec.page
        )
    lfs = sibling.lfs
    return Entry(str(path), sibling.size, lfs.sha256 if lfs else None, None if lfs else sibling.blob_id)


def _complete(spec: Spec, store: Path, entries: list[Entry], endpoint: str | None) -> dict[str, str]:
    """Fetch what is missing or wrong and return the SHA-256 of every file."""
    hashes = {entry.path: _sha256_if_right(store / entry.place, entry) for entry in entries}
    missing = [entry for entry in entries if hashes[entry.path] is None]
    _require_space(store, sum(entry.size for entry in missing))
    for entry in missing:
        hashes[entry.path] = _download(spec, store, entry, endpoint)
    return {path: value for path, value in hashes.items() if value is not None}


def _sha256_if_right(path: Path, entry: Entry) -> str | None:
    """Return a file's SHA-256 when it is what the hub says, None when it is not there or another."""
    if path.is_symlink() or not path.is_file() or path.stat().st_size != entry.size:
        return None
    sha256 = hashlib.sha256()
    git_sha1 = hashlib.sha1(b"blob %d\0" % entry.size, usedforsecurity=False)
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            sha256.update(block)
            git_sha1.update(block)
    right = (
        sha256.hexdigest() == entry.sha256
        if entry.sha256 is not None
        else git_sha1.hexdigest() == entry.git_sha1
    )
    return sha256.hexdigest() if right else None


def _require_space(store: Path, size: int) -> None:
    store.mkdir(parents=True, exist_ok=True)
    free = shutil.disk_usage(store).free
    if size and free < size + RESERVE:
        raise PrerequisiteError(
            f"{size / 1e6:.0f} MB are to be fetched and {free / 1e6:.0f} MB are free.",
            where=str(store),
            fix="Free some space, or set MMBENCH_STATE to a folder on a larger disk.",
        )


def _download(spec: Spec, store: Path, entry: Entry, endpoint: str | None) -> str:
    """Fetch one file, going on where it was cut; wrong bytes are fetched anew once."""
    from huggingface_hub import hf_hub_download

    place = store / entry.place
    for again in (False, True):
        arrived = asked(
            spec,
            lambda again=again: hf_hub_download(  # type: ignore[misc]
                spec.repo,
                entry.path,
                repo_type="dataset",
                revision=store.name,
                local_dir=store / "incoming",
                endpoint=endpoint,
                force_download=again,
            ),
        )
        sha256 = _sha256_if_right(Path(arrived), entry)
        if sha256 is not None:
            place.parent.mkdir(parents=True, exist_ok=True)
            Path(arrived).replace(place)
            return sha256
        Path(arrived).unlink(missing_ok=True)
    raise DataError(
        f"What the hub sent for {entry.path} is not what its listing says (size or hash), twice.",
        where=spec.page,
        fix="Run the same command again; if it stays, tell the dataset's owner.",
    )
