"""The reference agent: runs the case's own solution, with no model.

It proves that a case can be solved in both arms, that its checks accept the
solution, and that a whole session works without a key or a network.
"""

from __future__ import annotations

from typing import ClassVar

from mmbench.bench.agents.base import Launch, LaunchError, RawRun, Task, Wire
from mmbench.bench.agents.settle import Seen, settle
from mmbench.bench.agents.stream import decode, tail
from mmbench.bench.agents.transcript import message
from mmbench.outcome import Failure, Outcome


class Oracle:
    """Run `Task.solution` as a shell script; its standard output is the answer."""

    name: ClassVar[str] = "oracle"
    adapter_version: ClassVar[str] = "1"
    executable: ClassVar[str] = ""
    reference: ClassVar[bool] = True
    wire: ClassVar[Wire | None] = None
    credentials_env: ClassVar[tuple[str, ...]] = ()
    credentials_files: ClassVar[tuple[str, ...]] = ()

    def launch(self, task: Task) -> Launch:
        """Describe a shell that reads the solution; raises LaunchError where the case has none."""
        if task.solution is None:
            raise LaunchError(Failure("setup", "The case has no reference solution for this arm."))
        return Launch(argv=("bash", "-s"), stdin=_whole(task.solution).encode("utf-8", "surrogateescape"))

    def parse(self, raw: RawRun) -> Outcome:
        """Take standard output as the answer; a non-zero exit is the solution's own failure."""
        text = decode(raw.stdout).strip()
        crash = Failure(
            "crash", f"The solution ended with exit code {raw.exit_code}. {tail(raw.stderr)}".strip()
        )
        seen = Seen(
            final_text=text,
            failure=crash if raw.exit_code != 0 else None,
            recognised=True,
            finished=raw.ended == "exit",
            steps=(message(text),) if text else (),
        )
        return settle(seen, raw)

    def version_argv(self) -> tuple[str, ...]:
        """Return nothing: the solution's version is the case's."""
        return ()


def _whole(script: str) -> str:
    """Make the shell read all of a script before it runs any: a command in it may read standard input."""
    return "{ :\n" + script + "\n} </dev/null\n"
