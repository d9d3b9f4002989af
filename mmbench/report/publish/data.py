"""The data files: JSON and CSV beside the pages, one Parquet of all trials."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any

import msgspec
from msgspec import structs

from mmbench.report.assembly import Group
from mmbench.report.model import Results, Session
from mmbench.report.pages.site import Site
from mmbench.report.publish import figures, shapes
from mmbench.report.publish.shapes import VERSION, CellShape, TrialShape, encode
from mmbench.report.render import File
from mmbench.report.stats.decision import verdict
from mmbench.report.tables.summary import Summary
from mmbench.report.text import spreadsheet_safe
from mmbench.schema import schema_folder


def files(site: Site) -> Iterator[File | Group]:
    """Yield every data file that is made of tables."""
    boards = [figures.board(board) for board in site.boards]
    yield File("data/leaderboard.json", encode(shapes.Leaderboard(VERSION, boards)))
    yield File("data/leaderboard.csv", table([_flat(row) for board in boards for row in board.rows]))
    rows = [_session_row(site, session) for session in reversed(site.results.sessions)]
    yield File("data/sessions.json", encode(shapes.Sessions(VERSION, rows)))
    yield File("data/sessions.csv", table([_session_flat(row) for row in rows]))
    breakdown = [figures.cases(row.summary) for row, _ in figures.rows_of(site)]
    yield File("data/case-breakdown.json", encode(shapes.CaseBreakdown(VERSION, breakdown)))
    yield File("data/case-breakdown.csv", table([line for cell in breakdown for line in _case_lines(cell)]))
    shown = _Shown()
    if site.results.sessions:
        yield File("data/trials.parquet", parquet(site.results, shown))
    yield from _cells(site)
    for session in site.results.sessions:
        make = partial(_session, site, session, shown)
        yield Group(f"data of session {session.id}", site.results.key(session), make)
    yield from _specs(site)
    for path in sorted(schema_folder().glob("*.schema.json")):
        yield File(f"data/schemas/{path.name}", path.read_bytes())


class _Shown:
    """The trials of sessions as data files have them, each made once and when it is asked for."""

    def __init__(self) -> None:
        self._made: dict[str, list[TrialShape]] = {}

    def of(self, session: Session) -> list[TrialShape]:
        """Return a session's trials."""
        if session.id not in self._made:
            self._made[session.id] = [figures.trial(trial) for trial in session.trials]
        return self._made[session.id]


def _alone(site: Site, session: Session) -> CellShape:
    summary = site.by_session[session.id]
    return _old(summary)


def _old(summary: Summary) -> CellShape:
    """Return figures that stand in no ranking."""
    return figures.cell(summary, verdict(summary.lift, margin=summary.margin), None, False)


def _session_row(site: Site, session: Session) -> shapes.SessionRow:
    states = {str(name): count for name, count in sorted(session.states().items())}
    return shapes.SessionRow(session.id, session.started, session.head, states, _alone(site, session))


def _cells(site: Site) -> Iterator[File]:
    summaries: dict[Any, list[tuple[Summary, CellShape]]] = {}
    for row, board in figures.rows_of(site):
        found = summaries.setdefault(row.summary.cell, [])
        found.append((row.summary, figures.row(row, board)))
        for old in row.older:
            found.append((old, _old(old)))
    for cell, found in sorted(summaries.items()):
        made = shapes.CellFile(VERSION, [shape for _, shape in found], [figures.cases(s) for s, _ in found])
        yield File(f"data/cells/{cell.agent}/{cell.profile}.json", encode(made))


def _session(site: Site, session: Session, shown: _Shown) -> Iterator[File]:
    trials = shown.of(session)
    header = session.header
    made = shapes.SessionFile(
        VERSION,
        session.id,
        session.started,
        session.head,
        _alone(site, session),
        msgspec.to_builtins(header.method),
        {"suite": header.plan.suite, "arms": header.plan.arms, "runs": header.plan.runs}
        | {"seed": header.plan.seed, "margin": header.plan.margin}
        | {"excluded": msgspec.to_builtins(header.plan.excluded)},
        msgspec.to_builtins(header.provenance),
        trials,
        [
            shapes.UnsoundPair(pair.case, pair.run, list(pair.reasons))
            for pair in site.by_session[session.id].pairs
            if not pair.sound
        ],
        [
            shapes.RemovalShape(r.at, r.what, r.files, r.bytes, r.result, r.error)
            for r in site.removals[session.id]
        ],
    )
    yield File(f"data/session/{session.id}.json", encode(made))
    yield File(f"data/session/{session.id}.csv", trial_table(trials))


def _specs(site: Site) -> Iterator[File]:
    newest = {name: digest for s in site.results.sessions for name, digest in s.header.cases.items()}
    for name, digest in sorted(newest.items()):
        if digest in site.results.cases:
            path = site.results.root / "cases" / f"{digest}.json"
            yield File(f"data/case-spec/{name}.json", path.read_bytes())


def parquet(results: Results, shown: _Shown) -> bytes:
    """Return all trials of all sessions as Parquet."""
    import polars as pl

    frames = [
        pl.read_ipc(io.BytesIO(results.memo.of(f"frame {s.digest}", bytes, partial(_frame, s, shown))))
        for s in results.sessions
    ]
    stream = io.BytesIO()
    pl.concat(frames, rechunk=True).write_parquet(stream, compression="zstd", statistics=False)
    return stream.getvalue()


def _frame(session: Session, shown: _Shown) -> bytes:
    """Return the trials of a session as a data frame, written down."""
    import polars as pl

    names = TrialShape.__struct_fields__
    trials = [_line(trial) for trial in shown.of(session)]
    columns: dict[str, Any] = dict(zip(names, zip(*trials, strict=True), strict=True))
    known = {"session": session.id, "agent": session.cell.agent, "profile": session.cell.profile}
    known["method"] = session.method
    types = _types()
    schema = {name: types.get(name, pl.String) for name in (*known, *names)}
    columns = {name: [value] * len(trials) for name, value in known.items()} | columns
    stream = io.BytesIO()
    pl.DataFrame(columns, schema=schema).write_ipc(stream, compression="lz4")
    return stream.getvalue()


def _types() -> dict[str, Any]:
    import polars as pl

    numbers = {"correctness", "checkpoint", "judge", "seconds", "cost_usd"}
    counts = {"run", "position", "attempts", "tokens_in", "tokens_fresh", "tokens_out"}
    counts |= {"turns", "tool_calls", "mm_calls", "mm_failed"}
    return dict.fromkeys(numbers, pl.Float64) | dict.fromkeys(counts, pl.Int64) | {"passed": pl.Boolean}


def table(rows: Sequence[dict[str, Any]]) -> bytes:
    """Write rows as CSV; all rows have the keys of the first."""
    stream = io.StringIO(newline="")
    if rows:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(rows[0])
        writer.writerows([plain(value) for value in row.values()] for row in rows)
    return stream.getvalue().encode()


def trial_table(trials: Iterable[TrialShape]) -> bytes:
    """Write trials as CSV."""
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(TrialShape.__struct_fields__)
    writer.writerows(_line(trial) for trial in trials)
    return stream.getvalue().encode()


def _line(trial: TrialShape) -> tuple[Any, ...]:
    """Return a trial's values for a table; only two of its texts are not ours."""
    commands = plain(trial.mm_commands)
    if trial.void is None:
        return (*structs.astuple(trial)[:-1], commands)
    return structs.astuple(structs.replace(trial, void=plain(trial.void), mm_commands=commands))


def plain(value: Any) -> Any:
    """Return a value for a CSV cell: no list, and no text that a spreadsheet would run as a formula."""
    if isinstance(value, tuple | list):
        value = ",".join(str(part) for part in value)
    return spreadsheet_safe(value)


def _flat(cell: CellShape) -> dict[str, Any]:
    """Spread a cell's figures over columns."""
    made: dict[str, Any] = {}
    for name, value in msgspec.to_builtins(cell).items():
        if name in ("arms", "contrasts"):
            continue  # a list of its own, which a row cannot hold: it is in the JSON
        if isinstance(value, dict):
            made |= {f"{name}_{part}": inner for part, inner in value.items()}
        elif name == "rank":
            made |= {"rank_best": value[0] if value else None, "rank_worst": value[-1] if value else None}
        else:
            made[name] = "; ".join(value) if isinstance(value, list) else value
    return made


def _session_flat(row: shapes.SessionRow) -> dict[str, Any]:
    return {"session": row.session, "started": row.started, "head": row.head} | _flat(row.figures)


def _case_lines(cell: shapes.CaseRows) -> Iterator[dict[str, Any]]:
    for item in cell.cases:
        found = msgspec.to_builtins(item)
        commands = " ".join(f"{name}:{count}" for name, count in found.pop("commands").items())
        arms = " ".join(f"{arm['arm']}:{arm['correctness']}" for arm in found.pop("arms"))
        flat = {"agent": cell.agent, "profile": cell.profile, "method": cell.method}
        for name, value in found.items():
            both = isinstance(value, dict)
            flat |= {f"{name}_{part}": inner for part, inner in value.items()} if both else {name: value}
        yield flat | {"commands": commands, "arms": arms}
