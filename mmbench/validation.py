"""Check every schema, case and results file, and name each fault: file, line, pointer, reason."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mmbench import case, cleanup, jsontext, ledger, records, schema, trust
from mmbench.errors import DataError, UsageError
from mmbench.layout import Project, shown
from mmbench.ledger import RawLine
from mmbench.records import FoldError


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong: the file, its line if it has lines, where in the value, and why."""

    file: str
    line: int | None
    pointer: str
    reason: str

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        return f"{place}: {self.pointer}: {self.reason}"


@dataclass(slots=True)
class Validation:
    """What was looked at, and every fault."""

    cases: int = 0
    ledgers: int = 0
    lines: int = 0
    beside: int = 0
    """Clean-up logs and figures on judges."""
    faults: list[Fault] = field(default_factory=list)


def validate(where: Project, paths: Sequence[Path] = ()) -> Validation:
    """Validate the named suites and results files, or all of the project."""
    found = Validation()
    found.faults += schema_faults()
    suites, files = _sort(where, paths)
    for path in suites:
        _suite(path, found)
    for path in files:
        _ledger(path, found)
    if not paths:
        found.faults += _stored_cases(where.results / "cases")
        found.beside, faults = beside(where.results)
        found.faults += faults
    return found


def schema_faults() -> Iterator[Fault]:
    """Check the schemas themselves against the meta-schema."""
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import SchemaError

    for path in sorted(schema.schema_folder().glob("*.schema.json")):
        try:
            Draft202012Validator.check_schema(schema.load(path.name.removesuffix(".schema.json")))
        except SchemaError as error:
            pointer = "".join(f"/{part}" for part in error.absolute_path) or "/"
            yield Fault(f"schemas/{path.name}", None, pointer, error.message)


def _sort(where: Project, paths: Sequence[Path]) -> tuple[list[Path], list[Path]]:
    """Tell suites from results files."""
    if not paths:
        return [where.cases / name for name in case.suites(where.cases)], list(ledger.ledgers(where.results))
    suites: list[Path] = []
    files: list[Path] = []
    for path in paths:
        if not path.exists():
            raise UsageError(f"There is nothing at {path}.", fix="Name suites or results files.")
        is_ledger = path.is_file() and path.suffix == ".jsonl" and _is_ledger(path)
        (files if is_ledger else suites).append(path)
    return suites, files


def _is_ledger(path: Path) -> bool:
    with path.open("rb") as file:
        return b'"kind"' in file.readline()[:200]


def _suite(path: Path, found: Validation) -> None:
    seen: dict[str, str] = {}
    try:
        case.about(path)
        before = found.cases
        for document, source, folder in case.documents(path):
            found.cases += 1
            for fault in case.faults(document, source, folder):
                found.faults.append(Fault(*_place(fault.source), fault.pointer, fault.reason))
            name = document.get("id") if isinstance(document, dict) else None
            if isinstance(name, str) and seen.setdefault(name, source) != source:
                found.faults.append(
                    Fault(*_place(source), "/id", f"{name!r} is already used in {seen[name]}")
                )
        if found.cases == before:
            found.faults.append(Fault(path.name, None, "/", "it holds no case"))
    except DataError as error:
        found.faults.append(Fault(*_place(error.where or path.name), "/", error.what))


def _place(source: str) -> tuple[str, int | None]:
    """Split `file:line`."""
    name, _, line = source.rpartition(":")
    return (name, int(line)) if name and line.isdecimal() else (source, None)


def _ledger(path: Path, found: Validation) -> None:
    found.ledgers += 1
    lines, tail = ledger.split(path.read_bytes())
    found.lines += len(lines)
    name = shown(path)
    if tail:
        found.faults.append(
            Fault(name, len(lines) + 1, "/", "the last line is torn; the next `bench --resume` repairs it")
        )
    values = _values(name, lines, path, found)
    if values is None:
        return
    for line, value in zip(lines, values, strict=True):
        found.faults += [Fault(name, line.number + 1, f.pointer, f.reason) for f in _record_faults(value)]
    if not found.faults or found.faults[-1].file != name:
        found.faults += [Fault(name, f.line + 1, "/", f.reason) for f in _sequence_faults(values, lines)]


def ledger_faults(path: Path) -> list[Fault]:
    """Return every fault of one results file: schema, order, chain and fold."""
    found = Validation()
    _ledger(path, found)
    return found.faults


def beside(results: Path) -> tuple[int, list[Fault]]:
    """Check what lies beside the sessions: clean-up logs and figures on judges; returns how many files and faults."""
    logs, measured = list(cleanup.logs(results)), list(trust.files(results))
    faults = [fault for path in logs for fault in _log_faults(path)]
    faults += [
        Fault(f"results/judge/{path.name}", None, found.pointer, found.reason)
        for path in measured
        for found in trust.faults(path)
    ]
    return len(logs) + len(measured), faults


def _log_faults(path: Path) -> Iterator[Fault]:
    """Check a clean-up log: each line by itself, that it speaks of its session, and the chain."""
    name = f"results/cleanup/{path.name}"
    try:
        values, lines, tail = ledger.read(path)
    except DataError as error:
        yield Fault(*_place(f"results/cleanup/{error.where}"), "/", error.what)
        return
    if tail:
        yield Fault(name, len(lines) + 1, "/", "the last line is torn; the next `clean` repairs it")
    for number, value in enumerate(values, start=1):
        yield from (Fault(name, number, f.pointer, f.reason) for f in schema.faults("record.cleanup", value))
        if value.get("session") != path.stem:
            yield Fault(name, number, "/session", f"it speaks of {value.get('session')!r}")
    broken = ledger.chain_fault(values, lines)
    if broken is not None:
        yield Fault(name, broken.line + 1, "/", broken.reason)


def _values(name: str, lines: list[RawLine], path: Path, found: Validation) -> list[dict[str, Any]] | None:
    """Parse every line; a line that is no JSON object is a fault, and the chain cannot be followed."""
    values: list[dict[str, Any]] = []
    for line in lines:
        try:
            values.append(ledger.parse_line(line, path))
        except DataError as error:
            found.faults.append(Fault(name, line.number + 1, "/", error.what))
    return values if len(values) == len(lines) else None


def _record_faults(value: dict[str, Any]) -> Iterator[schema.Fault]:
    kind = value.get("kind")
    if kind not in schema.RECORD_KINDS:
        yield schema.Fault("/kind", f"{kind!r} is not one of {', '.join(schema.RECORD_KINDS)}")
        return
    yield from schema.faults(f"record.{kind}", value)


def _sequence_faults(values: list[dict[str, Any]], lines: list[RawLine]) -> Iterator[FoldError]:
    """Check what only the order of lines shows: the chain, and that each line fits those before."""
    broken = ledger.chain_fault(values, lines)
    if broken is not None:
        yield broken
        return
    try:
        session = records.fold(values)
    except FoldError as error:
        yield error
        return
    if records.method_hash(session.header["method"]["parts"]) != session.header["method"]["hash"]:
        yield FoldError(0, "the method hash is not the hash of its parts")


def _stored_cases(folder: Path) -> Iterator[Fault]:
    """Check that every stored case is what its name says."""
    for path in sorted(folder.glob("*.json")) if folder.is_dir() else []:
        name = f"results/cases/{path.name}"
        try:
            document = jsontext.loads(path.read_bytes())
        except (ValueError, RecursionError) as error:
            yield Fault(name, None, "/", f"it is not JSON: {error}")
            continue
        if jsontext.digest(document) != path.stem:
            yield Fault(name, None, "/", "its content does not have the hash that it is named by")
