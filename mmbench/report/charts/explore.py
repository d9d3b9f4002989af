"""Charts that move, for those who ask: the one script that a click loads, and the data it reads.

The script is Vega, Vega-Lite and Vega-Embed as vl-convert carries them, bundled
with our own `explore.js`. Nothing of it is loaded before the click.
"""

from __future__ import annotations

import json
from functools import lru_cache
from importlib.metadata import version
from typing import Any

import vl_convert
from markupsafe import Markup

from mmbench import jsontext
from mmbench.report.charts.figure import VEGA_LITE, Spec
from mmbench.report.charts.theme import CONFIG
from mmbench.report.store import Store

_NOTICE = "/*! Vega, Vega-Lite, Vega-Embed: BSD-3-Clause; they and what they bring along: see {licences} */\n"


def bundle(source: str, licences: str, store: Store) -> bytes:
    """Return the script: `source` with Vega at hand and the theme in CONFIG, closed in a scope of its own."""
    snippet = f"const CONFIG={jsontext.dumps(CONFIG)};\n{source}"
    key = jsontext.digest([snippet, licences, version("vl-convert-python"), VEGA_LITE])
    known = store.read("explore", key)
    if known is not None:
        return known
    made = f"{_NOTICE.format(licences=licences)}(()=>{{{_bundled(snippet)}}})();\n".encode()
    store.write("explore", key, made)
    return made


@lru_cache(maxsize=2)
def _bundled(snippet: str) -> str:
    return str(vl_convert.javascript_bundle(snippet, vl_version=VEGA_LITE))


def compact(made: Spec) -> dict[str, Any]:
    """Return a specification without what every chart shares, which the script has."""
    return {name: value for name, value in made.items() if name not in ("config", "$schema")}


def block(value: Any) -> Markup:
    """Return JSON for a data block: no text in it can end the block or begin a comment."""
    text = json.dumps(jsontext.clean(value), allow_nan=False, separators=(",", ":"))
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return Markup(text)  # noqa: S704 (no sign of markup is left)
