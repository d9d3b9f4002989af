"""`judge accuracy`: how often a judge chose as people did, from pair files and prediction files."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from decimal import ROUND_HALF_EVEN, Decimal
from pathlib import Path
from typing import Any

from mmbench import partiality
from mmbench.agreement import Accuracy, JudgedPair, Side, accuracy, accuracy_by
from mmbench.bench.judge import pairs as files
from mmbench.errors import DataError, UsageError
from mmbench.power import Interval


@dataclass(frozen=True, slots=True)
class Labelled:
    """One judged pair and what it is grouped by."""

    pair: JudgedPair
    task: str
    source: str
    models: str
    judge: str
    """Who judged, empty where the predictions do not tell."""
    own: Side | None = None
    """The side whose response is of the judge's own model."""
    prompt: str = ""
    """Hash of the question that was asked, empty where the predictions do not tell."""


def load(
    pair_files: Sequence[Path], predictions: Sequence[Path], tasks: Sequence[str] = ()
) -> list[Labelled]:
    """Read pair files and the prediction file of each, in the same order."""
    if len(pair_files) != len(predictions):
        raise UsageError(
            f"There are {len(pair_files)} files of pairs and {len(predictions)} of predictions.",
            fix="Give one file of predictions for each file of pairs, in the same order.",
        )
    if tasks and len(tasks) != len(pair_files):
        raise UsageError(
            f"There are {len(tasks)} names for {len(pair_files)} tasks.", fix="Name every task, or none."
        )
    names = list(tasks) or [path.stem for path in predictions]
    return [
        labelled
        for name, pairs, said in zip(names, pair_files, predictions, strict=True)
        for labelled in _task(name, files.load(pairs), said)
    ]


def _task(name: str, file: files.PairFile, path: Path) -> list[Labelled]:
    said = files.parse(files.read_bytes(path), path)
    if not isinstance(said, dict):
        raise DataError("It holds no predictions by id of pair.", where=path.name)
    return [_labelled(name, entry, said.get(entry["id"]), path) for entry in file.pairs]


def _labelled(task: str, entry: Mapping[str, Any], said: Any, path: Path) -> Labelled:
    said = {} if said is None else said
    if not isinstance(said, dict):
        raise DataError(f"The prediction on {entry['id']} is not an object.", where=path.name)
    source = str(entry.get("prompt_source", ""))
    prompt = (entry.get("prompt_metadata") or {}).get("id")
    pair = JudgedPair(
        f"{task}/{entry['id']}",
        entry["chosen"],
        _judgement(said, "forward", path),
        _judgement(said, "reverse", path),
        cluster=f"{task}/{source}/{prompt}" if prompt is not None else "",
    )
    models, judge = _models(entry), _evaluator(said)
    return Labelled(
        pair,
        task,
        source,
        " / ".join(sorted(models)) if all(models) else "",
        judge,
        partiality.own_side(judge, models),
        _question(said),
    )


def _evaluator(said: Mapping[str, Any]) -> str:
    forward = said.get("forward")
    return str(forward[0].get("evaluator", ""))[:200] if forward else ""


def _question(said: Mapping[str, Any]) -> str:
    match said.get("forward"):
        case [{"metadata": {"prompt_sha256": str() as digest}}, *_] if _DIGEST.fullmatch(digest):
            return digest
        case _:
            return ""


_DIGEST = re.compile(r"[0-9a-f]{64}")


def _judgement(said: Mapping[str, Any], order: str, path: Path) -> str | None:
    """Return the first judgement of an order, None when there is none."""
    match said.get(order):
        case None | []:
            return None
        case [{"judgement": str() | None as judgement}, *_]:
            return judgement or None
        case [dict() as first, *_] if "judgement" not in first:
            return None
        case _:
            raise DataError(
                f'A prediction is not of the form {{"{order}": [{{"judgement": "A"}}]}}.', where=path.name
            )


def _models(entry: Mapping[str, Any]) -> tuple[str, str]:
    """Return the models of both responses, empty where unknown."""
    sides = (entry.get("response_a"), entry.get("response_b"))
    first, second = (str(side.get("model_name", "")) if isinstance(side, dict) else "" for side in sides)
    return first, second


GROUPS: dict[str, Callable[[Labelled], str]] = {
    "task": lambda one: one.task,
    "prompt source": lambda one: one.source,
    "model pair": lambda one: one.models,
}


def report(labelled: Sequence[Labelled]) -> dict[str, Any]:
    """Return every figure: overall, by task, by source of the prompt and by pair of models."""
    groups = {name: _grouped(labelled, key) for name, key in GROUPS.items()}
    own = partiality.self_preference([(one.pair, one.own) for one in labelled if one.own is not None])
    return {
        "overall": facts(accuracy([one.pair for one in labelled])),
        "by": groups,
        "self_preference": None if own is None else asdict(own),
    }


def _grouped(labelled: Sequence[Labelled], key: Callable[[Labelled], str]) -> dict[str, dict[str, Any]]:
    group = {one.pair.pair: key(one) for one in labelled}
    found = accuracy_by([one.pair for one in labelled], lambda pair: group[pair.pair])
    return {name: facts(figures) for name, figures in found.items()}


def facts(found: Accuracy) -> dict[str, Any]:
    """Return the figures of one group as plain values; shares are 0..1."""
    clustered = found.clustered.interval if found.clustered else None
    return {
        "accuracy": found.accuracy,
        "correct": found.correct,
        "verdicts": found.verdicts,
        "pairs": found.pairs,
        "missing": found.missing,
        "half": found.half,
        "consistency": found.consistency,
        "first_share": found.first_share,
        "position_bias": found.position_bias,
        "kappa": found.kappa,
        "kappa_interval": _ends(found.kappa_interval),
        "wilson": _ends(found.wilson),
        "clustered": _ends(clustered),
        "clusters": found.clustered.clusters if found.clustered else 0,
    }


def _ends(interval: Interval | None) -> dict[str, float] | None:
    return asdict(interval) if interval else None


def table(found: Mapping[str, Any]) -> str:
    """Return the figures for people."""
    lines = [_HEAD]
    lines += [_row(name, row) for name, row in found["by"]["task"].items()]
    lines += ["-" * len(_HEAD), _row("Overall", found["overall"])]
    for title in ("prompt source", "model pair"):
        rows = {name: row for name, row in found["by"][title].items() if name}
        if len(rows) > 1:
            lines += ["", f"By {title}", *(_row(name, row) for name, row in rows.items())]
    own = found["self_preference"]
    if own is not None:
        lines += [
            "",
            f"Responses of its own model: chosen in {_share(own['judge'])} of {own['verdicts']} verdicts, "
            f"by people in {_share(own['people'])}",
        ]
    lines += ["", _NOTE]
    return "\n".join(lines)


_HEAD = (
    f"{'task':<34} {'accuracy':>9} {'missing':>8} {'verdicts':>9} {'consistent':>11} {'bias':>6} {'kappa':>6}"
    f" {'Wilson 95 %':>15} {'clustered 95 %':>15}"
)
_NOTE = (
    "accuracy: verdicts in both orders that name the response people chose. consistent: pairs judged alike in both "
    "orders.\nbias: pull of the first place, from -1 to 1. clustered: the interval that knows pairs of one prompt "
    "to be alike."
)


def _row(name: str, row: Mapping[str, Any]) -> str:
    shown = name if len(name) <= 34 else f"{name[:33]}…"
    return (
        f"{shown:<34} {percent(row['correct'], row['verdicts']):>9} {row['missing']:>8} {row['verdicts']:>9}"
        f" {_share(row['consistency']):>11} {_signed(row['position_bias']):>6} {_signed(row['kappa']):>6}"
        f" {_interval(row['wilson']):>15} {_interval(row['clustered']):>15}"
    )


def percent(part: int, whole: int) -> str:
    """Return a share in percent with two decimals, rounded from the whole numbers: no float shifts a digit."""
    if not whole:
        return "n/a"
    return f"{(Decimal(100 * part) / whole).quantize(Decimal('0.01'), ROUND_HALF_EVEN)} %"


def _share(value: float | None) -> str:
    return "n/a" if value is None else f"{100 * value:.1f} %"


def _signed(value: float | None) -> str:
    return "n/a" if value is None else f"{value:.2f}"


def _interval(ends: Mapping[str, float] | None) -> str:
    return "n/a" if ends is None else f"{100 * ends['low']:.1f} to {100 * ends['high']:.1f}"


def shown(found: Mapping[str, Any], *, as_json: bool) -> str:
    """Return what `judge accuracy` prints."""
    return json.dumps(found, indent=2, ensure_ascii=False) if as_json else table(found)
