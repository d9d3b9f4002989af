"""A small web server for one's own eyes: loopback only, rebuilds when the results change."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from mmbench.errors import MmbenchError, PrerequisiteError

HOST = "127.0.0.1"
INTERVAL = 1.0
"""Seconds between two looks at the watched folders."""

Stamp = frozenset[tuple[str, int, int]]


class _Handler(SimpleHTTPRequestHandler):
    """Serves files without caching, so that a reload shows the newest build, and without a log line each."""

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        super().end_headers()

    def list_directory(self, path: object) -> None:
        """Refuse to list folders: the site has a page for everything it wants to show."""
        self.send_error(404)

    def log_message(self, format: str, *args: object) -> None:
        """Stay silent."""


def stamp(folders: tuple[Path, ...]) -> Stamp:
    """Return what tells one state of some folders from another: names, times and sizes."""
    return frozenset(_entries(folders))


def _entries(folders: tuple[Path, ...]) -> Iterator[tuple[str, int, int]]:
    for folder in folders:
        for path in folder.rglob("*"):
            try:
                found = path.stat()
            except OSError:
                continue  # it went away between the listing and the look
            yield str(path), found.st_mtime_ns, found.st_size


@dataclass
class Watch:
    """Calls `rebuild` when one of the folders changes; a failed build is told and tried again on change."""

    folders: tuple[Path, ...]
    rebuild: Callable[[], object]
    tell: Callable[[str], object]
    seen: Stamp = frozenset()

    def look(self) -> bool:
        """Look once; returns whether it built."""
        now = stamp(self.folders)
        if now == self.seen:
            return False
        self.seen = now
        try:
            self.rebuild()
        except MmbenchError as error:
            self.tell(f"The site was not rebuilt. {error}")
            return False
        return True


def server(out: Path, port: int) -> ThreadingHTTPServer:
    """Bind a server to the loopback; PrerequisiteError when the port is taken."""
    try:
        return ThreadingHTTPServer((HOST, port), partial(_Handler, directory=str(out)))
    except OSError as error:
        raise PrerequisiteError(
            f"Port {port} on {HOST} cannot be used: {error.strerror}.", fix="Name another with --port N."
        ) from error


def _say(text: str) -> None:
    print(text, flush=True)


def serve(
    out: Path,
    rebuild: Callable[[], object],
    watched: tuple[Path, ...],
    port: int = 8765,
    *,
    tell: Callable[[str], object] = _say,
    stop: threading.Event | None = None,
) -> None:
    """Build, serve on 127.0.0.1 and rebuild on change, until interrupted or `stop` is set.

    What the first build raises is raised; later ones are told, and the site stays as it was.
    """
    halt = stop or threading.Event()
    with server(out, port) as http:
        watch = Watch(watched, rebuild, tell, stamp(watched))
        rebuild()
        thread = threading.Thread(target=http.serve_forever, daemon=True)
        thread.start()
        tell(f"Serving http://{HOST}:{http.server_address[1]}/index.html, Ctrl-C ends it.")
        try:
            while not halt.wait(INTERVAL):
                if watch.look():
                    tell("Rebuilt.")
        except KeyboardInterrupt:
            tell("Stopped.")
        finally:
            http.shutdown()
            thread.join()
            thread.join()
