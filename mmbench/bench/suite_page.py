"""What testing cases came to, as a table for the terminal and as the page of the suite in docs/."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mmbench import variants
from mmbench.bench.case_tests import CHEATS, Tested
from mmbench.case import Case, Suite

NOT_RUN = "not run"
NO_SOLUTION = "–"
USER = (
    "What these prompts ask for is not settled by the files, and a guess is wrong. The prompt names two files of the"
    " working directory: the agent writes one question to the first, and once that file is whole (half a second as"
    " it is) the user's scripted answer appears in the second, once and the same whatever was asked. Anything that is"
    " no small plain file is not read as a question. Both files are taken away before the tree is graded; question,"
    " times and answer stand in the record. The check `asked` scores the question: what it touches, and half of that"
    " when anything was changed before. An agent whose adapter says that it cannot wait is not run on these cases;"
    " its sessions say so."
)
HEAD = ("Case", "Archetype", "Modality", "Primary command", "Difficulty", "Needs")


def line(tested: Tested, width: int) -> str:
    """Return a case's row on the terminal, its faults below it."""
    scores = "  ".join(f"{_points(tested.scores.get(name)):>7}" for name in CHEATS)
    oracle = " / ".join(f"{arm} {_reached(value)}" for arm, value in tested.oracle.items())
    row = f"{tested.case.id:<{width}}  {scores}  {'FAILED' if tested.faults else 'ok'}"
    faults = "".join(f"\n  {fault}" for fault in tested.faults)
    return row + (f"  oracle: {oracle}" if oracle else "") + faults


def head(width: int) -> str:
    """Return the head of the table on the terminal."""
    return f"{'case':<{width}}  " + "  ".join(f"{name:>7}" for name in CHEATS)


def page(suite: Suite, tested: Sequence[Tested], arms: Sequence[str], oracle_from: str | None) -> str:
    """Return the page of a suite: one row per case with what every cheat earns."""
    head = (*HEAD, *(f"oracle {arm}" for arm in arms), *CHEATS)
    rows = [_row(one, arms, ran=oracle_from is not None) for one in tested]
    table = [_cells(head), _cells(["---"] * len(head)), *map(_cells, rows)]
    more = (*_variants(suite), *_users(suite), *_left_out(suite))
    return "\n".join([*_introduction(suite, oracle_from), *table, *more, ""])


def _variants(suite: Suite) -> list[str]:
    """Return the table of what can stand in the way of which case, nothing where there are no variants."""
    found = [one for case in suite.cases for one in variants.of_case(case)]
    if not found:
        return []
    rows = [(f"`{one.id}`", *_obstacle(one)) for one in found]
    said = (
        "`bench --variants` runs these too: the same task and truth with something in the way, in both arms."
    )
    head = (("Variant", "Obstacle", "What"), ("---", "---", "---"))
    return ["", "## Obstacle variants", "", said, "", *map(_cells, (*head, *rows))]


def _obstacle(variant: Case) -> tuple[str, str]:
    obstacle = variant.obstacle or {}
    spare = [f"{obstacle['spare_mb']} MiB beside the tree"] if "spare_mb" in obstacle else []
    named = [str(obstacle[name]) for name in ("tool", "as", "path") if name in obstacle]
    made = (
        [str(step.get("to", step["path"])) for step in variant.setup]
        if obstacle["obstacle"] == "option_name"
        else []
    )
    what = " → ".join(f"`{name}`" for name in (*named, *made))
    return str(obstacle["obstacle"]).replace("_", " "), ", ".join(
        [what, *spare] if what else spare
    ) or NO_SOLUTION


def _users(suite: Suite) -> list[str]:
    """Return the table of the cases with a user to ask, nothing where there are none."""
    asking = [(case, case.clarification) for case in suite.cases if case.clarification is not None]
    if not asking:
        return []
    head = (("Case", "Question", "Answer", "The question must touch"), ("---", "---", "---", "---"))
    rows = [
        (
            f"`{case.id}`",
            f"`{told['question_file']}`",
            f"`{told['answer_file']}`",
            "; ".join(one if isinstance(one, str) else " or ".join(one) for one in told["must_ask"]),
        )
        for case, told in asking
    ]
    return ["", "## Cases with a user to ask", "", USER, "", *map(_cells, (*head, *rows))]


def _left_out(suite: Suite) -> list[str]:
    if not suite.left_out:
        return []
    return ["", "## Left out", "", *(f"- {text}" for text in suite.left_out)]


def _introduction(suite: Suite, oracle_from: str | None) -> list[str]:
    oracle = oracle_from or "not run for this table"
    return [
        f"# The suite `{suite.name}`",
        "",
        f"{len(suite.cases)} cases over the dataset `{suite.dataset}`. This page is written by"
        f" `nox -s cases -- --suite {suite.name} --markdown`.",
        "",
        "All figures are points of 100. *oracle* plays the reference solution of an arm"
        f" ({oracle}; {NO_SOLUTION} where the arm has no solution). *nop* does nothing, *shotgun* names every file"
        " and every number, *touch* makes an empty file wherever a check looks; a case is refused when nop earns"
        " more than 10 or a cheat 35 or more. *mangle* solves an artifact or organization case and then damages a"
        f" file that it has nothing to do with, which must cost at least 30 ({NO_SOLUTION} for retrieval cases).",
        "",
    ]


def _row(tested: Tested, arms: Sequence[str], *, ran: bool) -> list[str]:
    document = tested.case.document
    return [
        f"`{tested.case.id}`",
        document["archetype"],
        ", ".join(document["modality"]),
        next(iter(document["mm_commands"]), NO_SOLUTION),
        document["difficulty"],
        ", ".join(sorted(tested.case.needs)) or NO_SOLUTION,
        *(_oracle(tested, arm, ran=ran) for arm in arms),
        *(_points(tested.scores.get(name)) for name in CHEATS),
    ]


def _oracle(tested: Tested, arm: str, *, ran: bool) -> str:
    reached: Mapping[str, float | None] = tested.oracle
    if arm in reached:
        return _reached(reached[arm])
    return NOT_RUN if not ran or tested.case.solution(arm) is not None else NO_SOLUTION


def _reached(value: float | None) -> str:
    return "ungraded" if value is None else f"{value:.1f}"


def _points(value: float | None) -> str:
    return NO_SOLUTION if value is None else f"{value:.1f}"


def _cells(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
