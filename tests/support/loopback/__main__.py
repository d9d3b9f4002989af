"""Run the loopback server as a program: `python -m tests.support.loopback --port-file FILE --command 'ls'`.

It stops by itself after `--seconds`, or on SIGTERM or SIGINT.
"""

from __future__ import annotations

import argparse
import signal
from pathlib import Path

from tests.support.loopback.script import FINAL, MODES, Script
from tests.support.loopback.server import LoopbackModel


def parser() -> argparse.ArgumentParser:
    """Describe the command line."""
    options = argparse.ArgumentParser(prog="python -m tests.support.loopback", description=__doc__)
    options.add_argument("--port-file", type=Path, required=True, help="receives the port once it listens")
    options.add_argument("--port", type=int, default=0)
    options.add_argument("--log", type=Path, help="one line of JSON per request")
    options.add_argument("--seconds", type=float, default=600.0, help="the longest time to run")
    options.add_argument("--mode", choices=MODES, default="ok")
    options.add_argument("--command", action="append", default=[], help="a shell command, one per turn")
    options.add_argument("--final", default=FINAL)
    options.add_argument("--fail-after", type=int, default=0)
    options.add_argument("--fail-times", type=int)
    options.add_argument("--retry-after", type=int)
    options.add_argument("--served-model")
    return options


def main() -> None:
    """Serve until the time is over or a signal comes."""
    given = parser().parse_args()
    script = Script(
        commands=tuple(given.command),
        final=given.final,
        mode=given.mode,
        fail_after=given.fail_after,
        fail_times=given.fail_times,
        retry_after=given.retry_after,
        served_model=given.served_model,
    )
    with LoopbackModel(script, port=given.port, log=given.log) as model:
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: model.stopping.set())
        partial = given.port_file.with_suffix(".part")
        partial.write_text(model.url.rsplit(":", 1)[1], encoding="utf-8")
        partial.replace(given.port_file)  # whoever waits for the file never reads half a port
        model.stopping.wait(given.seconds)


if __name__ == "__main__":
    main()
