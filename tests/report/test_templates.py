"""What Jinja makes of values: nothing that a page shows can be markup unless a template wrote it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import UndefinedError
from markupsafe import Markup, escape

from mmbench.report import store as storing
from mmbench.report.store import Store
from mmbench.report.templates import environment, shown
from mmbench.report.text import visible


def rendered(tmp_path: Path, source: str, **context: object) -> str:
    (tmp_path / "page.html").write_text(source)
    return environment(tmp_path, Store(None)).get_template("page.html").render(**context)


@given(st.text() | st.integers() | st.floats() | st.none() | st.booleans() | st.lists(st.text()))
def test_a_value_is_escaped_and_visible(value: object) -> None:
    assert shown(value) == str(escape(visible(value) if isinstance(value, str) else value))


def test_long_texts_are_shown_as_short_ones_are() -> None:
    assert shown("<\x1b" * 100) == "&lt;‹ESC›" * 100


def test_markup_of_templates_stays() -> None:
    assert shown(Markup("<b>")) == "<b>"


HOSTILE = "</script><img src=x onerror=alert(1)>\x1b[31m\u202e'\""


@pytest.mark.parametrize(
    "source",
    [
        "{{ x }}",
        "{{ x ~ '' }}",
        "{{ [x] | join(', ') }}",
        "{{ x | replace('a', 'b') }}",
        "{% macro m(t) %}<i>{{ t }}</i>{% endmacro %}{{ m(x) }}",
        "{% set y = x %}{{ y }}",
        "{% set y %}{{ x }}{% endset %}{{ y }}",
        "{% for c in [x] %}{{ c }}{% endfor %}",
        "{{ {'a': x}.a }}",
        "{{ {'a': x} }}",
        "{{ x if x else '' }}",
    ],
)
def test_hostile_text_is_inert_wherever_it_is_written(tmp_path: Path, source: str) -> None:
    made = rendered(tmp_path, source, x=HOSTILE).replace("<i>", "").replace("</i>", "")
    assert not set(made) & set("<>\"'\x1b\u202e")
    assert "/script" in made


def test_what_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UndefinedError):
        rendered(tmp_path, "{{ x.y }}", x={"z": 1})
    with pytest.raises(UndefinedError):
        rendered(tmp_path, "{{ y }}")


def test_entries_of_a_dictionary_come_before_its_methods(tmp_path: Path) -> None:
    assert rendered(tmp_path, "{{ x.items }}", x={"items": 3}) == "3"
    assert rendered(tmp_path, "{% for k, v in x.items() %}{{ k }}{{ v }}{% endfor %}", x={"a": 1}) == "a1"


def test_compiled_templates_are_kept_and_never_stale(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store, page = Store(tmp_path / "cache"), tmp_path / "page.html"
    page.write_text("one {{ x }}")

    def render() -> str:
        return environment(tmp_path, store).get_template("page.html").render(x="<")

    assert render() == "one &lt;"
    (kept,) = (tmp_path / "cache" / "templates").iterdir()
    before = kept.read_bytes()
    assert render() == "one &lt;"
    assert kept.read_bytes() == before
    page.write_text("two {{ x }}")
    assert render() == "two &lt;"
    kept.write_bytes(kept.read_bytes()[:-9] + b"\0" * 9)
    assert render() == "two &lt;"
    monkeypatch.setattr(storing, "fingerprint", lambda: "other")
    assert render() == "two &lt;"
