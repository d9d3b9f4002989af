"""Cases and suites: read from a folder per case, from JSONL or from YAML, and validated.

Every form is reduced to one JSON document (schemas/case.schema.json), whose
canonical form is hashed: that hash is what a session says it has run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from mmbench import jsontext, schema
from mmbench.errors import DataError, unknown
from mmbench.layout import as_name

Archetype = Literal["retrieval", "artifact", "organization"]
Document = Mapping[str, Any]

TEXT_FILES = {
    "prompt.md": ("prompt",),
    "solution.sh": ("solutions", "with_mm"),
    "solution.without_mm.sh": ("solutions", "without_mm"),
    "validate.py": ("validator",),
}
"""Files of the folder form, and the place in the document that each one fills."""


@dataclass(frozen=True, slots=True)
class Case:
    """One task. `document` is the whole of it; the properties are what the harness asks for most."""

    document: Document = field(repr=False)
    source: str
    """Where it was read, for messages: a path, with a line number for JSONL."""

    @property
    def id(self) -> str:
        """Return the stable id."""
        return str(self.document["id"])

    @property
    def digest(self) -> str:
        """Return the SHA-256 of the document's canonical form."""
        return jsontext.digest(self.document)

    @property
    def prompt(self) -> str:
        """Return the task as given verbatim to every arm."""
        return str(self.document["prompt"])

    @property
    def dataset(self) -> str:
        """Return the subtree of the dataset that the sandbox holds."""
        return str(self.document["dataset"])

    @property
    def cluster(self) -> str:
        """Return the group of cases that are not independent of this one."""
        return str(self.document.get("cluster", self.dataset))

    @property
    def checks(self) -> list[dict[str, Any]]:
        """Return the deterministic checks."""
        return list(self.document["checks"])

    @property
    def timeout_s(self) -> float:
        """Return the wall-clock limit in seconds."""
        return float(self.document["timeout_s"])

    @property
    def threshold(self) -> float | None:
        """Return the case's own pass threshold in points, if any."""
        value = self.document.get("threshold")
        return None if value is None else float(value)

    @property
    def needs(self) -> frozenset[str]:
        """Return what the mm backend must be able to do: ocr, speech, vision."""
        return frozenset(self.document.get("needs", ()))

    @property
    def mount(self) -> str:
        """Return where the sandbox shows the tree."""
        return str(self.document.get("mount", "/workspace"))

    @property
    def setup(self) -> list[dict[str, Any]]:
        """Return the steps that are done to the tree before any agent sees it."""
        return list(self.document.get("setup", ()))

    @property
    def clarification(self) -> Mapping[str, Any] | None:
        """Return the user who can be asked, None where there is nobody."""
        found: Mapping[str, Any] | None = self.document.get("clarification")
        return found

    @property
    def obstacle(self) -> Mapping[str, Any] | None:
        """Return what stands in the way of a variant, None for a plain case."""
        found: Mapping[str, Any] | None = self.document.get("obstacle")
        return found

    def solution(self, arm: str) -> str | None:
        """Return the reference solution of an arm, None where there is none."""
        kind = "with_mm" if arm in ("with_mm", "unprimed") else "without_mm"
        text = self.document.get("solutions", {}).get(kind)
        return None if text is None else str(text)


@dataclass(frozen=True, slots=True)
class Suite:
    """A named set of cases over one dataset."""

    name: str
    dataset: str
    cases: tuple[Case, ...]
    left_out: tuple[str, ...] = ()
    """What the suite says of tasks that it does not set, a paragraph each."""

    def select(self, ids: Iterable[str]) -> Suite:
        """Keep the named cases, in the suite's order; UsageError names the nearest of an unknown one."""
        wanted = list(ids)
        known = {case.id for case in self.cases}
        for name in wanted:
            if name not in known:
                raise unknown("case", name, known, fix="See `nox -s cases -- list`.")
        return replace(self, cases=tuple(case for case in self.cases if case.id in wanted))


@dataclass(frozen=True, slots=True)
class CaseFault:
    """One fault of a case: the file, the line where it has one, the pointer, the reason."""

    source: str
    pointer: str
    reason: str

    def __str__(self) -> str:
        return f"{self.source}: {self.pointer}: {self.reason}"


def faults(document: Any, source: str, folder: Path | None = None) -> list[CaseFault]:
    """Return every fault of a case document, with the file that holds the faulty part."""
    found = [CaseFault(source, fault.pointer, fault.reason) for fault in schema.faults("case", document)]
    if not found and folder is not None and folder.name != document["id"]:
        found.append(CaseFault(source, "/id", f"the id is {document['id']!r}, the folder {folder.name!r}"))
    return found or [CaseFault(source, pointer, reason) for pointer, reason in _unheard(document)]


def _unheard(document: Document) -> Iterator[tuple[str, str]]:
    """Yield a user whom nobody is scored for asking, and a score for asking nobody."""
    scored = any(check["kind"] == "asked" for check in document["checks"])
    if scored and "clarification" not in document:
        yield "/checks", "a check of the question (`asked`) needs a `clarification`"
    if not scored and "clarification" in document:
        yield "/clarification", "no check scores the question: one of the kind `asked` is needed"


def _require(document: Any, source: str, folder: Path | None = None) -> Case:
    found = faults(document, source, folder)
    if found:
        more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
        raise DataError(
            f"The case is invalid at {found[0].pointer}: {found[0].reason}{more}.",
            where=source,
            fix="Run `nox -s validate` to see every fault.",
        )
    return Case(document, source)


def read_folder(folder: Path) -> dict[str, Any]:
    """Read one case folder as a document: case.json with the texts of its other files put in."""
    path = folder / "case.json"
    document = _json(path.read_bytes(), f"{folder.name}/case.json")
    for name, place in TEXT_FILES.items():
        file = folder / name
        if file.is_file():
            _put(document, place, _text(file))
    return document


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise DataError(
            f"The file is not UTF-8: {error}.", where=f"{file.parent.name}/{file.name}"
        ) from error


def _json(data: bytes, source: str) -> dict[str, Any]:
    try:
        document = jsontext.loads(data)
    except (ValueError, RecursionError) as error:
        raise DataError(f"The case is not JSON: {error}.", where=source) from error
    if not isinstance(document, dict):
        raise DataError("The case is not a JSON object.", where=source)
    return document


def _put(document: dict[str, Any], place: tuple[str, ...], text: str) -> None:
    for name in place[:-1]:
        document = document.setdefault(name, {})
    if isinstance(document, dict):  # else the schema says what is wrong with it
        document[place[-1]] = text


def documents(path: Path) -> Iterator[tuple[Any, str, Path | None]]:
    """Yield (document, source, folder) of every case of a suite folder, a JSONL or a YAML file."""
    if path.is_dir():
        for folder in sorted(entry.parent for entry in path.glob("*/case.json")):
            yield read_folder(folder), f"{path.name}/{folder.name}/case.json", folder
        for file in sorted([*path.glob("*.jsonl"), *path.glob("*.yaml"), *path.glob("*.yml")]):
            yield from documents(file)
    elif path.suffix in (".yaml", ".yml"):
        yield from _yaml(path)
    else:
        for number, line in enumerate(path.read_bytes().split(b"\n"), start=1):
            if line.strip():
                source = f"{path.name}:{number}"
                yield _json(line, source), source, None


def _yaml(path: Path) -> Iterator[tuple[Any, str, Path | None]]:
    import yaml

    try:
        value = yaml.safe_load(path.read_bytes())
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise DataError(f"The case is not YAML: {error}.", where=path.name) from error
    for index, document in enumerate(value if isinstance(value, list) else [value]):
        yield document, f"{path.name}#{index}" if isinstance(value, list) else path.name, None


def load_suite(cases: Path, name: str) -> Suite:
    """Load a suite by its name below the cases folder, or by the path of a folder or file."""
    path = cases / name
    if not path.is_dir():
        path = Path(name)
        if "/" not in name and not path.is_file():
            raise unknown("suite", name, suites(cases))
        if not path.exists():
            raise DataError(f"There is no suite at {name}.", where=name)
    told = about(path)
    loaded = tuple(_require(document, source, folder) for document, source, folder in documents(path))
    if not loaded:
        raise DataError(
            "The suite has no cases.", where=path.name, fix="See CONTRIBUTING.md on adding a case."
        )
    _refuse_twins(loaded)
    left_out = tuple(told.get("left_out", ()))
    return Suite(told.get("name", as_name(path.stem)), told.get("dataset", "embedded"), loaded, left_out)


def suites(cases: Path) -> list[str]:
    """Return the names of the suites below the cases folder."""
    return sorted(entry.name for entry in cases.iterdir() if entry.is_dir()) if cases.is_dir() else []


def about(path: Path) -> dict[str, Any]:
    """Read what a suite folder says of itself, nothing for other forms; DataError when it is invalid."""
    file = path / "suite.json"
    if not path.is_dir() or not file.is_file():
        return {}
    told = _json(file.read_bytes(), f"{path.name}/suite.json")
    fault = schema.first_fault("suite", told)
    if fault is not None:
        raise DataError(
            f"The suite is invalid at {fault.pointer}: {fault.reason}.", where=f"{path.name}/suite.json"
        )
    return told


def _refuse_twins(cases: tuple[Case, ...]) -> None:
    seen: dict[str, Case] = {}
    for case in cases:
        twin = seen.setdefault(case.id, case)
        if twin is not case:
            raise DataError(
                f"Two cases have the id {case.id!r}: {twin.source} and {case.source}.", where=case.source
            )
