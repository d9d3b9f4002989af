"""The link checker."""

from __future__ import annotations

import re

import pytest

from mmbench.errors import DataError
from mmbench.layout import project
from mmbench.report.publish.links import Links


def checked(path: str, html: str, *files: str) -> None:
    links = Links()
    links.add(path, html)
    links.check([path, *files])


def test_links_to_files_and_anchors_pass() -> None:
    checked(
        "a/b.html",
        '<p id="x"><a href="#x">x</a> <a href="../c.html#y">c</a> <img src="../d.png">',
        "c.html",
        "d.png",
    )


@pytest.mark.parametrize(
    "html",
    [
        '<a href="../lost.html">',
        '<a href="c.html">',
        '<a href="/c.html">',
        '<img src="https://example.org/x.png">',
        '<a href="javascript:alert(1)">',
        '<a href="#lost">',
    ],
)
def test_other_links_stop_the_build(html: str) -> None:
    with pytest.raises(DataError, match=r"1 links of the site lead nowhere: a/b\.html"):
        checked("a/b.html", html, "c.html")


def test_text_that_looks_like_a_link_is_none() -> None:
    checked("a.html", "&lt;a href=&#34;lost.html&#34;&gt;")


def test_many_are_cut_short() -> None:
    with pytest.raises(DataError, match="and 3 more"):
        checked("a.html", "".join(f' href="{n}"' for n in range(8)))


def test_targets_of_pages_that_were_looked_through_before_are_checked_too() -> None:
    first = Links()
    targets = first.add("a/b.html", '<a href="../c.html#y">c</a> <a href="../d.html">d</a>')
    assert targets == {"c.html": "a/b.html", "d.html": "a/b.html"}
    again = Links()
    again.take(targets)
    with pytest.raises(DataError, match=r"a/b\.html: d\.html"):
        again.check(["a/b.html", "c.html"])


def test_templates_write_attributes_where_links_are_looked_for() -> None:
    texts = [path.read_text() for path in sorted((project().site / "templates").glob("*.html"))]
    assert sum(len(re.findall(r" (?:href|src|id)=", text)) for text in texts) > 100
    assert not [
        match[0] for text in texts for match in re.finditer(r"[^ ](?<!data-)\b(?:href|src|id)=\S*", text)
    ]
