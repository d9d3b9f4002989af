"""The local server: loopback only, rebuilds on change, bounded."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from functools import partial
from pathlib import Path

import pytest

from mmbench.errors import DataError, PrerequisiteError
from mmbench.report import serve
from mmbench.report.build import build
from mmbench.report.serve import HOST, Watch
from tests.report.conftest import SITE


def test_a_change_is_seen_once(tmp_path: Path) -> None:
    built: list[int] = []
    watch = Watch((tmp_path,), lambda: built.append(1), print)
    (tmp_path / "a").write_text("1")
    assert watch.look() is True
    assert watch.look() is False
    (tmp_path / "a").write_text("22")
    assert watch.look() is True
    assert built == [1, 1]


def test_a_failed_build_is_told_and_waits_for_a_change(tmp_path: Path) -> None:
    def fail() -> None:
        raise DataError("Line 3 is damaged.")

    said: list[str] = []
    watch = Watch((tmp_path,), fail, said.append)
    (tmp_path / "a").write_text("1")
    assert watch.look() is False
    assert watch.look() is False
    assert said == ["The site was not rebuilt. Line 3 is damaged."]


def test_a_taken_port_is_a_clear_error(tmp_path: Path) -> None:
    with serve.server(tmp_path, 0) as first, pytest.raises(PrerequisiteError, match="cannot be used"):
        serve.server(tmp_path, first.server_address[1])


def test_it_serves_the_site_on_the_loopback_and_rebuilds(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serve, "INTERVAL", 0.02)
    said: list[str] = []
    told = threading.Condition()

    def tell(text: str) -> None:
        with told:
            said.append(text)
            told.notify_all()

    stop = threading.Event()
    out = tmp_path / "out"
    make = partial(build, small, out, site=SITE)
    thread = threading.Thread(
        target=serve.serve, args=(out, make, (small, SITE), 0), kwargs={"tell": tell, "stop": stop}
    )
    thread.start()
    try:
        with told:
            assert told.wait_for(lambda: said, 60)
        address = said[0].split()[1].rstrip(",")
        assert address.startswith(f"http://{HOST}:")
        assert b"Leaderboard" in urllib.request.urlopen(address, timeout=10).read()
        with pytest.raises(urllib.error.HTTPError, match="404") as caught:
            urllib.request.urlopen(address.replace("index.html", "session/"), timeout=10)
        caught.value.close()
        shutil.copy(sorted(small.glob("*.jsonl"))[0], small / "copy.jsonl")
        with told:
            assert told.wait_for(lambda: "Rebuilt." in said, 60)
        assert b"copy.jsonl" in urllib.request.urlopen(address, timeout=10).read()
    finally:
        stop.set()
        thread.join(30)
    assert not thread.is_alive()


def test_a_first_build_that_fails_ends_it(tmp_path: Path) -> None:
    def fail() -> None:
        raise DataError("Line 3 is damaged.")

    with pytest.raises(DataError, match="Line 3"):
        serve.serve(tmp_path, fail, (tmp_path,), 0)


def test_the_command_serves_the_named_results_until_it_is_interrupted(small: Path, tmp_path: Path) -> None:
    newest = sorted(small.glob("*.jsonl"))[-1].stem
    words = [
        "serve",
        "--results",
        str(small),
        "--out",
        str(tmp_path / "out"),
        "--only",
        newest,
        "--port",
        "0",
    ]
    command = [sys.executable, "-m", "mmbench", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            address = process.stdout.readline().split()[1].rstrip(",")
            page = urllib.request.urlopen(address.replace("index", "sessions"), timeout=10).read().decode()
            process.send_signal(signal.SIGINT)
            assert process.stdout.read() == "Stopped.\n"
            assert process.wait(30) == 0
        finally:
            process.kill()
    assert page.count(f"session/{newest}.html") >= 1
    assert page.count('href="session/') == page.count(f"session/{newest}.html")
