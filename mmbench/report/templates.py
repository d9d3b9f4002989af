"""Jinja set up so that no page can be built unsafely: escaped, strict, every text made visible."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

from jinja2 import BytecodeCache, Environment, FileSystemLoader, StrictUndefined, nodes
from jinja2.bccache import Bucket
from jinja2.compiler import CodeGenerator, Frame
from markupsafe import Markup, escape

from mmbench.report import figures
from mmbench.report.store import Store, fingerprint
from mmbench.report.text import visible

_FILTERS = "points signed interval times times_interval share seconds count money size day minute sign number"


def environment(templates: Path, store: Store) -> Environment:
    """Return the one environment that pages are rendered in; `store` keeps what templates compile to."""
    env = _Environment(
        loader=FileSystemLoader(templates),
        autoescape=True,
        auto_reload=False,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=shown,
        bytecode_cache=_Compiled(store),
    )
    env.filters |= {name: getattr(figures, name) for name in _FILTERS.split()}
    env.filters["pair_interval"] = lambda pair: figures.interval(*pair)
    env.filters["pair_times"] = lambda pair: figures.times_interval(*pair)
    return env


def shown(value: Any) -> str:
    """Return a value as a page shows it: escaped, with what hides in it made visible; markup as it is.

    What is already markup was made by a template.
    """
    if type(value) is str:
        return _short(value) if len(value) < _SHORT else _inert(value)
    if type(value) is Markup:
        return value
    return str(escape(value))


def _inert(text: str) -> str:
    return str(escape(visible(text)))


_SHORT = 64
_short = lru_cache(maxsize=1 << 14)(_inert)
"""Names, labels and figures come again on every page."""


class _Output(CodeGenerator):
    """Compiles `{{ value }}` to one call of `shown`, where Jinja has three: a site has millions of them."""

    def _output_child_pre(self, node: nodes.Expr, frame: Frame, finalize: Any) -> None:
        self.write("environment.finalize(")

    def _output_child_post(self, node: nodes.Expr, frame: Frame, finalize: Any) -> None:
        self.write(")")


class _Environment(Environment):
    code_generator_class = _Output

    def getattr(self, obj: Any, attribute: str) -> Any:
        """Look into a dictionary first, as most of what templates show of a record is in one."""
        if type(obj) is dict and attribute in obj:
            return obj[attribute]
        return super().getattr(obj, attribute)


class _Compiled(BytecodeCache):
    """Keeps compiled templates among the other things that builds remember."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def load_bytecode(self, bucket: Bucket) -> None:
        """Take up what an earlier build compiled; Jinja looks whether it is of this source."""
        data = self._store.read(_entry(bucket), fingerprint())
        if data is not None:
            bucket.bytecode_from_string(data)

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Leave a template to the next build."""
        self._store.write(_entry(bucket), fingerprint(), bucket.bytecode_to_string())


def _entry(bucket: Bucket) -> str:
    return f"templates/{bucket.key}"
