"""The report half: a site of 100,000 trials from nothing and after one more session, the home page, and asv.

What is compared with `asv publish` is a point: one result at one place of a
history. For asv that is a value of one benchmark with one set of parameters
at one commit, with its interval; it becomes a dot of a graph and is looked at
by the step detection. Here it is a trial, which carries 13 measured values
(scores, seconds, tokens, cost, calls); it stands in paired figures with
intervals, in a table, in JSON, CSV and Parquet, and the newest 2,000 have a
page. So two ratios are printed: asv gets as many values as the trials have
together, and as many as there are trials.
Neither side is told to leave anything out, and both start from nothing.
"""

from __future__ import annotations

import gzip
import shutil
import statistics
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from mmbench.layout import project
from tests.perf import asv_tree
from tests.perf.measure import Figure, Used, median_of, used_by
from tests.support import synthetic
from tests.support.synthetic_plan import Plan

SESSIONS, CASES, RUNS = 50, 100, 10
TRIALS = SESSIONS * CASES * RUNS * 2
VALUES = 13
"""Measured values of one trial in the data files: 3 scores, passed, seconds, 4 of tokens and cost, 4 counts."""
ROUNDS = 3
BUILD = (
    "import sys; from pathlib import Path; from mmbench.report.build import build;"
    "results, out, cache, site = map(Path, sys.argv[1:]); build(results, out, site=site, cache=cache)"
)
"""A build of its own process: the start of Python and the imports count."""


def plan(number: int) -> Plan:
    """Return the plan of one session of the history: five agents in turn, two methods, two versions of mm."""
    return Plan(
        f"synthetic-{'abcde'[number % 5]}",
        day=2 * number,
        cases=CASES,
        runs=RUNS,
        skill=0.5 + 0.02 * (number % 5),
        gain=0.1 - 0.03 * (number % 3),
        mm_version="0.13.2" if number > 25 else "0.13.0",
        judge=number > 10,
    )


class Work:
    """The results, one session that comes later, and the site, in a folder that goes with the process."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="mmbench-perf-")
        self.root = Path(self._folder.name)
        self.results, self.later = self.root / "results", self.root / "later"
        synthetic.tree(self.results, [plan(number) for number in range(SESSIONS)], synthetic.write_fast)
        self.one_more = synthetic.write_fast(self.later, plan(SESSIONS))
        self._round = 0
        self._begin()

    def _begin(self) -> None:
        """Take folders of their own: ext4 is slow to make files where many were removed a minute ago."""
        self._round += 1
        self.out, self.cache = (self.root / f"{name}-{self._round}" for name in ("site", "cache"))

    def build(self) -> Used:
        """Build the site as it stands, over what is there."""
        site = project().site
        return used_by([sys.executable, "-c", BUILD, *map(str, (self.results, self.out, self.cache, site))])

    def cold(self) -> Used:
        """Build it from nothing."""
        self._begin()
        (self.results / self.one_more.name).unlink(missing_ok=True)
        return self.build()

    def warm(self) -> Used:
        """Build it again after one more session."""
        shutil.copy(self.one_more, self.results)
        return self.build()


@cache
def _work() -> Work:
    return Work()


@cache
def _builds() -> tuple[list[Used], list[Used]]:
    """Return builds from nothing and after one more session, in turn, so that both meet the same machine."""
    rounds = [(_work().cold(), _work().warm()) for _ in range(ROUNDS)]
    return [cold for cold, _ in rounds], [warm for _, warm in rounds]


def site() -> Iterator[Figure]:
    """Measure the build from nothing and the share of it that one more session costs."""
    cold, warm = _builds()
    cpu = statistics.median(used.cpu for used in cold)
    memory = max(used.memory for used in (*cold, *warm)) / 1e9
    share = 100 * statistics.median(w.cpu / c.cpu for c, w in zip(cold, warm, strict=True))
    again = statistics.median(used.cpu for used in warm)
    history = f"{TRIALS:,} trials over {SESSIONS} sessions"
    walls = [statistics.median(used.wall for used in of) for of in (cold, warm)]
    yield Figure("site from nothing", cpu, "CPU-s", 20, f"{history}, {walls[0]:.1f} s, {ROUNDS} builds")
    yield Figure("its peak memory", memory, "GB", 1.5, "of all builds")
    detail = (
        f"{again:.1f} CPU-s for {2 * CASES * RUNS:,} more trials, which get a page each, {walls[1]:.1f} s"
    )
    yield Figure("one more session, share of that", share, "%", 20, detail)


def _built() -> Work:
    work = _work()
    if not (work.out / "index.html").exists():
        work.build()
    return work


def home() -> Iterator[Figure]:
    """Measure the weight of the home page, and how long Chromium takes to show it."""
    work = _built()
    page = len(gzip.compress((work.out / "index.html").read_bytes())) / 1e3
    parts = [path for path in (work.out / "assets").iterdir() if path.suffix in (".css", ".js", ".svg")]
    rest = sum(len(gzip.compress(path.read_bytes())) for path in parts) / 1e3
    yield Figure("home page, gzipped", page, "KB", 150, f"style, script and icon {rest:.1f} KB more")
    with _browser() as browser:
        if browser is None:
            return
        with _served(work.out) as address:
            for name, root in (("from a file", work.out.as_uri()), ("from a server", address)):
                took = median_of(partial(_visible, browser, f"{root}/index.html"), 9)
                yield Figure(
                    f"home page visible {name}", took, "s", 0.3, "first contentful paint, median of 9"
                )


@contextmanager
def _browser() -> Iterator[Any]:
    """Start Chromium; yields None, and says why, when there is none."""
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if found is None:
        print(
            "When the home page is visible was not measured: that needs Chromium (apt-get install chromium)."
        )
        yield None
        return
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=found, args=["--no-sandbox", "--disable-gpu"])
        try:
            _visible(
                running, "about:blank", painted=False
            )  # the first page of a browser starts its processes
            yield running
        finally:
            running.close()


def _visible(browser: Any, address: str, *, painted: bool = True) -> float:
    """Open a page with an empty cache; returns the seconds from the navigation to the first content."""
    context = browser.new_context()
    try:
        page = context.new_page()
        page.goto(address)
        if not painted:
            return 0.0
        return float(page.evaluate(_PAINTED)) / 1000
    finally:
        context.close()


_PAINTED = """() => new Promise(done => new PerformanceObserver(list => {
  for (const entry of list.getEntriesByName("first-contentful-paint")) done(entry.startTime);
}).observe({type: "paint", buffered: true}))"""


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Stay silent."""


@contextmanager
def _served(folder: Path) -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder))) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()


def against_asv() -> Iterator[Figure]:
    """Measure points per CPU second beside those of `asv publish` on as many: each measured value, and each trial."""
    ours = statistics.median(used.cpu for used in _builds()[0])
    for name, values, rounds in (("measured values", VALUES, 1), ("trials", 1, ROUNDS)):
        points = values * TRIALS
        theirs = statistics.median(_published(values) for _ in range(rounds))
        detail = f"{points:,}: {theirs:.1f} CPU-s of asv publish beside {ours:.1f}"
        yield Figure(f"{name} a second, against asv", theirs / ours, "times", 4, detail, at_least=True)


def _published(values: int) -> float:
    """Return the CPU seconds of one `asv publish` from nothing, of so many values for each trial."""
    with tempfile.TemporaryDirectory(prefix="mmbench-asv-") as folder:
        root = Path(folder)
        asv_tree.write(root, values)
        used = used_by([sys.executable, "-m", "asv", "publish", "--no-pull"], root)
        assert asv_tree.points(root / "html") == values * asv_tree.TRIALS == values * TRIALS
    return used.cpu


FIGURES = {"site": site, "home": home, "asv": against_asv}
