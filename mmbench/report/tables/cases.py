"""What each case came to, in both arms."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import fmean
from typing import NamedTuple

from mmbench.report.model import Trial
from mmbench.report.tables.pairs import Pair


@dataclass(frozen=True, slots=True)
class CaseRow:
    """One case of one summary: means over its sound pairs, None without one."""

    case: str
    without: float | None
    with_: float | None
    seconds_without: float | None
    seconds_with: float | None
    tokens_without: float | None
    tokens_with: float | None
    sound: int
    scheduled: int
    commands: tuple[tuple[str, int], ...]
    """mm commands and in how many trials each was called, most first."""

    @classmethod
    def unpaired(cls, case: str) -> CaseRow:
        """Return the row of a case that was run in one arm alone: there is nothing to compare."""
        return cls(case, None, None, None, None, None, None, 0, 0, ())

    @property
    def gain(self) -> float | None:
        """Return with minus without, in points."""
        return None if self.with_ is None or self.without is None else self.with_ - self.without


class CaseValues(NamedTuple):
    """What the row of a case is worked out from: the known values of its sound pairs, and counts over all."""

    case: str
    without: list[float]
    with_: list[float]
    seconds_without: list[float]
    seconds_with: list[float]
    tokens_without: list[float]
    tokens_with: list[float]
    sound: int
    scheduled: int
    commands: dict[str, int]


def case_rows(pairs: Iterable[Pair]) -> list[CaseRow]:
    """Return one row per case, by case id."""
    return rows_of(case_values(pairs))


def case_values(pairs: Iterable[Pair]) -> list[CaseValues]:
    """Return the values of each case, by case id."""
    by_case: dict[str, list[Pair]] = {}
    for pair in pairs:
        by_case.setdefault(pair.case, []).append(pair)
    return [_values(case, by_case[case]) for case in sorted(by_case)]


def rows_of(*parts: Iterable[CaseValues]) -> list[CaseRow]:
    """Return one row per case over all parts, by case id."""
    by_case: dict[str, list[CaseValues]] = {}
    for part in parts:
        for values in part:
            by_case.setdefault(values.case, []).append(values)
    return [_row(case, by_case[case]) for case in sorted(by_case)]


def _values(case: str, pairs: list[Pair]) -> CaseValues:
    sound = [pair for pair in pairs if pair.sound]
    without, with_ = [pair.without for pair in sound], [pair.with_ for pair in sound]
    return CaseValues(
        case,
        _known(trial.correctness for trial in without),
        _known(trial.correctness for trial in with_),
        _known(_seconds(trial) for trial in without),
        _known(_seconds(trial) for trial in with_),
        _known(tokens(trial) for trial in without),
        _known(tokens(trial) for trial in with_),
        len(sound),
        len(pairs),
        dict(Counter(name for pair in pairs for name in pair.with_.commands)),
    )


def _row(case: str, parts: list[CaseValues]) -> CaseRow:
    commands: Counter[str] = Counter()
    for part in parts:
        commands.update(part.commands)
    return CaseRow(
        case,
        mean(value for part in parts for value in part.without),
        mean(value for part in parts for value in part.with_),
        mean(value for part in parts for value in part.seconds_without),
        mean(value for part in parts for value in part.seconds_with),
        mean(value for part in parts for value in part.tokens_without),
        mean(value for part in parts for value in part.tokens_with),
        sum(part.sound for part in parts),
        sum(part.scheduled for part in parts),
        tuple(sorted(commands.items(), key=lambda item: (-item[1], item[0]))),
    )


def _seconds(trial: Trial) -> float | None:
    """Return a time, None when it is only a bound."""
    return None if trial.censored else trial.duration_s


def tokens(trial: Trial) -> float | None:
    """Return all tokens of a trial, None when a part is unknown."""
    usage = trial.usage
    if usage is None or usage.input_total is None or usage.output_total is None:
        return None
    return float(usage.input_total + usage.output_total)


def mean(values: Iterable[float | None]) -> float | None:
    """Return the mean of the known values, None without one."""
    known = _known(values)
    return fmean(known) if known else None


def _known(values: Iterable[float | None]) -> list[float]:
    return [value for value in values if value is not None]
