"""How charts look: colours are the page's variables, so one drawing serves light and dark."""

from __future__ import annotations

from typing import Any

INK, MUTED, LINE = "var(--ink)", "var(--muted)", "var(--line)"
WITHOUT, WITH = "var(--without)", "var(--with)"
UP, DOWN = "var(--up)", "var(--down)"
LIGHT = {
    "--bg": "#fff",
    "--ink": "#1a1e23",
    "--muted": "#555",
    "--line": "#dfe2e6",
    "--accent": "#0072b2",
    "--up": "#00805d",
    "--down": "#c24e00",
    "--with": "#0072b2",
    "--without": "#555",
}
"""The variables as the style sheet has them in the light, for drawings that leave the page."""
SHAPES = ("circle", "square", "triangle-up", "diamond", "triangle-down", "cross")
"""A series has a colour and a shape: colour alone never tells."""
FONT = "Liberation Sans, Arial, sans-serif"
"""Fonts of one width everywhere, so that labels fit as they were measured."""

WIDTH = 620
"""Pixels of the plot, without labels."""
STEP = 26
"""Pixels for each row of a chart of rows."""

CONFIG: dict[str, Any] = {
    "background": "transparent",
    "font": FONT,
    "aria": False,
    "view": {"stroke": None},
    "axis": {
        "labelColor": INK,
        "titleColor": MUTED,
        "titleFontWeight": "normal",
        "titleFontSize": 12,
        "labelFontSize": 12,
        "labelLimit": 260,
        "labelPadding": 6,
        "titlePadding": 10,
        "domainColor": LINE,
        "tickColor": LINE,
        "gridColor": LINE,
        "gridOpacity": 0.7,
    },
    "axisX": {"tickCount": 6},
    "axisY": {"domain": False, "ticks": False, "tickCount": 6},
    "legend": {
        "labelColor": INK,
        "titleColor": MUTED,
        "titleFontWeight": "normal",
        "labelFontSize": 12,
        "labelLimit": 260,
        "symbolBaseFillColor": MUTED,
        "symbolBaseStrokeColor": MUTED,
        "orient": "top",
        "offset": 6,
        "columnPadding": 20,
    },
    "title": {"color": INK, "fontSize": 13, "fontWeight": "bold", "anchor": "start", "limit": 320},
    "text": {"color": INK, "fontSize": 12},
    "point": {"filled": True, "size": 70, "opacity": 1},
    "rule": {"strokeWidth": 2},
    "concat": {"spacing": 28},
}
