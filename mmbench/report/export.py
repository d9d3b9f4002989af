"""The flat tables of `mmbench.export` as Parquet, and as a folder for the Hugging Face hub."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from mmbench import export, jsontext, ledger
from mmbench.export import TABLES, Files, Row
from mmbench.layout import Project


def parquet(rows: Sequence[Row], columns: Mapping[str, type]) -> bytes:
    """Return rows as Parquet with the columns' types, whatever the rows hold."""
    import polars as pl

    types: dict[type, Any] = {str: pl.String, int: pl.Int64, float: pl.Float64, bool: pl.Boolean}
    frame = pl.DataFrame(
        {name: [_typed(row[name], kind) for row in rows] for name, kind in columns.items()},
        schema={name: types[kind] for name, kind in columns.items()},
    )
    stream = io.BytesIO()
    frame.write_parquet(stream, compression="zstd")
    return stream.getvalue()


def _typed(value: Any, kind: type) -> Any:
    return float(value) if kind is float and value is not None else value


def parquet_files(where: Project, paths: Sequence[Path]) -> Files:
    """Yield a Parquet file for each table."""
    del where
    for name, rows in export.tables(paths).items():
        yield f"{name}.parquet", parquet(rows, TABLES[name])


def hf_files(where: Project, paths: Sequence[Path]) -> Files:
    """Yield a dataset folder: a card, a Parquet file for each table, and the cases as they were."""
    found = export.tables(paths)
    for name, rows in found.items():
        yield f"data/{name}.parquet", parquet(rows, TABLES[name])
    cases = dict(_cases(where, paths))
    if cases:
        yield "cases.jsonl", b"".join(jsontext.canonical(case) + b"\n" for case in cases.values())
    yield "README.md", card(found, bool(cases)).encode()


def _cases(where: Project, paths: Sequence[Path]) -> list[tuple[str, Any]]:
    digests = {digest for path in paths for digest in ledger.load(path).header["cases"].values()}
    files = [(digest, where.case_file(digest)) for digest in sorted(digests)]
    return [(digest, jsontext.loads(file.read_bytes())) for digest, file in files if file.is_file()]


def card(found: Mapping[str, Sequence[Row]], cases: bool) -> str:
    """Return the dataset card: what the hub reads, and what people should know."""
    configs = "".join(
        f"- config_name: {name}\n  data_files: data/{name}.parquet\n"
        + ("  default: true\n" if name == "trials" else "")
        for name in found
    )
    rows = "\n".join(f"| `{name}` | {len(rows)} |" for name, rows in found.items())
    told = "\n`cases.jsonl` holds the cases as they were run, one a line.\n" if cases else ""
    return (
        f"---\nlicense: apache-2.0\npretty_name: mmbench results\ntags:\n- benchmark\n- agents\n- multimodal\n"
        f"configs:\n{configs}---\n\n# mmbench results\n\n"
        "Trials of AI agents on multimodal folders, each with the `mm` command-line tool and without it.\n\n"
        f"| table | rows |\n|---|---|\n{rows}\n{told}\n"
        "A row of `trials` is one attempt; `newest` marks the one that counts. `correctness` is in points from 0 "
        "to 100 and empty while ungraded. A pair that is not `sound` stands in no figure; `reasons` says why. "
        "Only sessions with one `method` may be compared.\n"
    )


FORMATS: Mapping[str, Callable[[Project, Sequence[Path]], Files]] = {
    "parquet": parquet_files,
    "hf": hf_files,
}
