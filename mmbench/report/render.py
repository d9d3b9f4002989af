"""From pages to bytes: templates filled in, figures drawn, assets under names of their content."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jinja2 import TemplateError

from mmbench.errors import DataError
from mmbench.report.charts import download, explore
from mmbench.report.charts.figure import Figure, Painter
from mmbench.report.store import Store
from mmbench.report.templates import environment


@dataclass(frozen=True, slots=True)
class Page:
    """A page to be: its address below the site's root, its template and what that gets."""

    path: str
    template: str
    context: Mapping[str, Any] = field(default_factory=dict)
    figures: tuple[Figure, ...] = ()
    """The figures on it: each is offered as files too."""


@dataclass(frozen=True, slots=True)
class File:
    """A file that is published as it is."""

    path: str
    data: bytes


def assets(folder: Path) -> dict[str, File]:
    """Read site/assets; returns name -> asset, for example style.css -> assets/style.0a1b2c3d.css."""
    found = {}
    for source in sorted(path for path in folder.iterdir() if path.is_file()):
        data = source.read_bytes()
        digest = hashlib.sha256(data).hexdigest()[:8]
        found[source.name] = File(f"assets/{source.stem}.{digest}{source.suffix}", data)
    return found


def figure_path(page: str, figure: Figure, ending: str) -> str:
    """Return the address of a figure's file."""
    return f"figure/{page.removesuffix('.html')}/{figure.id}.{ending}"


def explorer(folder: Path, store: Store) -> dict[str, File]:
    """Make what a click on Explore loads, and the licences of what is in it."""
    licences = File("explore/LICENSES.txt", (folder / "LICENSES.txt").read_bytes())
    source = (folder / "explore.js").read_text()
    data = explore.bundle(source, licences.path.rpartition("/")[2], store)
    digest = hashlib.sha256(data).hexdigest()[:8]
    return {"vega.js": File(f"explore/vega.{digest}.js", data), "LICENSES.txt": licences}


CANARY = "mmbench-canary-7b1f0c52-9a4e-4d1b-8c36-2f5de0a97c41"
"""Stands on every page with tasks or transcripts, so that training data that took them in can be told."""


class Renderer:
    """Turns pages into bytes."""

    def __init__(self, site: Path, store: Store, painter: Painter, address: str | None = None) -> None:
        self.address = address.rstrip("/") if address else None
        self._painter = painter
        self.assets = assets(site / "assets") | explorer(site / "explore", store)
        self._env = environment(site / "templates", store)
        self._env.globals["asset_paths"] = {name: asset.path for name, asset in self.assets.items()}
        self._env.globals["address"] = self.address
        self._env.globals["site_canary"] = CANARY
        self._env.globals |= {"paint": self._painter.svg, "figure_path": figure_path}
        self._env.globals |= {"data_block": explore.block, "compact": explore.compact}

    def files(self, page: Page) -> Iterator[File]:
        """Yield a page and the files of its figures."""
        yield File(page.path, self.render(page))
        for figure in page.figures:
            drawing = self._painter.drawing(figure)
            yield File(figure_path(page.path, figure, "svg"), download.svg(figure, drawing))
            yield File(figure_path(page.path, figure, "csv"), download.table(figure))

    def render(self, page: Page) -> bytes:
        """Render a page; DataError names the template when it cannot be."""
        root = "../" * page.path.count("/")
        try:
            template = self._env.get_template(page.template)
            text = template.render(**page.context, root=root, path=page.path)
        except TemplateError as error:
            raise DataError(f"The template {page.template} fails: {error}.", where=page.path) from error
        return text.encode()
