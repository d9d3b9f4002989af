"""The page of charts, and the figures that other pages borrow."""

from __future__ import annotations

from collections.abc import Iterator

from mmbench.report.charts import ability, behaviour, cells, percase, spend, trend
from mmbench.report.charts.figure import Figure
from mmbench.report.pages.site import Site
from mmbench.report.render import Page
from mmbench.report.tables.board import Board
from mmbench.report.tables.dimensions import abilities


def home(site: Site, board: Board) -> list[Figure]:
    """Return the figures of the home page."""
    return _there([cells.forest(board), cells.correctness(board), _trend(site, board)])


def _trend(site: Site, board: Board) -> Figure | None:
    order = [row.summary.cell for row in board.rows]
    histories = [[site.by_session[s.id] for s in reversed(site.cells[cell])] for cell in order]
    return trend.trend(histories)


def of_board(site: Site, board: Board) -> list[Figure]:
    """Return the figures of the page of charts."""
    rows = board.pool.case_rows if board.rows else []
    found = abilities(rows, site.cases)
    return _there(
        [
            percase.per_case(rows),
            ability.bars(found),
            ability.radar(found),
            spend.tokens(board),
            spend.quality(board, spend.COST),
            spend.quality(board, spend.TIME),
            behaviour.failures(board.pool.endings if board.rows else {}),
            behaviour.commands(board, site.cases),
            behaviour.drift(
                [site.by_session[s.id].progress for row in board.rows for s in row.summary.sessions]
            ),
        ]
    )


def _there(figures: list[Figure | None]) -> list[Figure]:
    return [figure for figure in figures if figure is not None]


def pages(site: Site) -> Iterator[Page]:
    """Yield the page of charts of the current method."""
    board = site.boards[0] if site.boards else None
    figures = of_board(site, board) if board else []
    yield Page("charts.html", "charts.html", {"board": board, "figures": figures}, tuple(figures))
