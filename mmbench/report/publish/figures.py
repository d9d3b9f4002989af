"""From tables to the shapes of the data files."""

from __future__ import annotations

from mmbench.report.model import Trial
from mmbench.report.pages.site import Site
from mmbench.report.publish import shapes
from mmbench.report.publish.shapes import Both, CaseFigures, CaseRows, CellShape
from mmbench.report.stats.decision import Verdict
from mmbench.report.stats.effect import Lift
from mmbench.report.tables.arms import ArmFigures, Contrast, FurtherArms
from mmbench.report.tables.board import Board, Row, row_reasons
from mmbench.report.tables.cases import CaseRow
from mmbench.report.tables.summary import Summary


def _round(value: float | None, digits: int = 4) -> float | None:
    return None if value is None else round(value, digits)


def _both(pair: tuple[float | None, float | None], digits: int = 4) -> Both:
    return Both(_round(pair[0], digits), _round(pair[1], digits))


def _difference(lift: Lift) -> shapes.Difference:
    return shapes.Difference(
        _round(lift.point),
        _round(lift.low),
        _round(lift.high),
        lift.n,
        lift.clusters,
        _round(lift.p, 6),
        _round(lift.mde),
    )


def _arm(found: ArmFigures) -> shapes.ArmShape:
    trials = found.summary.trials
    return shapes.ArmShape(
        arm=found.arm,
        correctness=_round(found.summary.mean),
        pass_rate=_round(found.summary.pass_at_1),
        used_mm=_round(found.used / trials) if found.mm and trials else None,
        seconds=_round(found.seconds, 3),
        tokens=_round(found.tokens, 1),
        cases=found.summary.n,
        trials=trials,
        scheduled=found.scheduled,
    )


def _contrast(found: Contrast) -> shapes.ContrastShape:
    question = found.question
    return shapes.ContrastShape(
        question.name, question.right, question.left, _difference(found.lift), found.lift.pairs
    )


def cell(summary: Summary, call: Verdict, rank: list[int] | None, comparable: bool) -> CellShape:
    """Return the figures of a summary."""
    subject, censored = summary.subject, summary.speed.censored_share
    speed = summary.speed
    return CellShape(
        agent=summary.cell.agent,
        profile=summary.cell.profile,
        subject=shapes.SubjectShape(
            subject.agent.version, subject.agent.model, subject.mm.version, subject.profile.model
        ),
        method=summary.method,
        reference=summary.newest.reference,
        comparable=comparable,
        reasons=list(row_reasons(summary)),
        rank=rank,
        verdict=call.call,
        without=_round(summary.without.mean),
        with_=_round(summary.with_.mean),
        lift=_difference(summary.lift),
        speedup=shapes.Ratio(
            _round(speed.point),
            _round(speed.low),
            _round(speed.high),
            speed.pairs,
            _round(censored.pairs if censored else None),
        ),
        pass_rate=_both((summary.without.pass_at_1, summary.with_.pass_at_1)),
        adoption=_round(summary.adoption.share),
        tokens=_both(summary.tokens, 1),
        cost_usd=_both(summary.cost, 6),
        sessions=[session.id for session in summary.sessions],
        trials=summary.sound,
        scheduled=summary.scheduled,
        cases=len(summary.cases),
        arms=[_arm(arm) for arm in summary.further.arms],
        contrasts=[_contrast(contrast) for contrast in summary.further.contrasts],
    )


def row(found: Row, board: Board) -> CellShape:
    """Return the figures of a leaderboard row."""
    rank = [found.rank.rank, found.rank.worst] if found.rank else None
    places = [place for place in rank or [] if place is not None] or None
    ranked = board.comparable and not found.summary.newest.reference
    return cell(found.summary, found.verdict, places, ranked)


def board(found: Board) -> shapes.BoardShape:
    """Return a leaderboard, reference rows last."""
    rows = [row(item, found) for item in (*found.rows, *found.references)]
    return shapes.BoardShape(found.method.hash, found.suite, found.comparable, list(found.reasons), rows)


def cases(summary: Summary) -> CaseRows:
    """Return the cases of a summary."""
    return CaseRows(
        summary.cell.agent,
        summary.cell.profile,
        summary.method,
        summary.newest.reference,
        [_case(item, summary.further) for item in summary.case_rows],
    )


def _case(item: CaseRow, further: FurtherArms) -> CaseFigures:
    return CaseFigures(
        item.case,
        _round(item.without),
        _round(item.with_),
        _round(item.gain),
        _both((item.seconds_without, item.seconds_with), 3),
        _both((item.tokens_without, item.tokens_with), 1),
        item.sound,
        item.scheduled,
        dict(item.commands),
        [
            shapes.ArmFigure(arm.arm, round(arm.by_case[item.case], 4))
            for arm in further.further
            if item.case in arm.by_case
        ],
    )


def trial(item: Trial) -> shapes.TrialShape:
    """Return one trial."""
    usage = item.usage
    return shapes.TrialShape(
        case=item.key.case,
        arm=item.key.arm,
        run=item.key.run,
        position=item.position,
        state=item.state,
        status=item.status,
        failure=item.failure,
        void=item.voided,
        attempts=item.attempts,
        correctness=item.correctness,
        checkpoint=item.checkpoint,
        judge=item.judge,
        passed=item.passed,
        seconds=item.duration_s,
        started_at=item.started_at,
        tokens_in=usage.input_total if usage else None,
        tokens_fresh=usage.input_uncached if usage else None,
        tokens_out=usage.output_total if usage else None,
        cost_usd=usage.cost_usd if usage else None,
        turns=item.turns,
        tool_calls=item.tool_calls,
        mm_calls=item.mm_calls,
        mm_failed=item.mm_failed,
        mm_commands=item.commands,
    )


def rows_of(site: Site) -> list[tuple[Row, Board]]:
    """Return every row of every leaderboard, references too."""
    return [(item, found) for found in site.boards for item in (*found.rows, *found.references)]
