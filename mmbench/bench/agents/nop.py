"""The agent that does nothing: a case that it passes tests nothing."""

from __future__ import annotations

from typing import ClassVar

from mmbench.bench.agents.base import Launch, RawRun, Task, Wire
from mmbench.bench.agents.settle import Seen, settle
from mmbench.outcome import Outcome


class Nop:
    """Start a program that ends at once, change nothing and answer nothing."""

    name: ClassVar[str] = "nop"
    adapter_version: ClassVar[str] = "1"
    executable: ClassVar[str] = ""
    reference: ClassVar[bool] = True
    wire: ClassVar[Wire | None] = None
    credentials_env: ClassVar[tuple[str, ...]] = ()
    credentials_files: ClassVar[tuple[str, ...]] = ()

    def launch(self, task: Task) -> Launch:
        """Describe a program that does nothing."""
        return Launch(argv=("true",))

    def parse(self, raw: RawRun) -> Outcome:
        """Report no answer: silence is graded like anyone's."""
        return settle(Seen(recognised=True, finished=raw.ended == "exit"), raw)

    def version_argv(self) -> tuple[str, ...]:
        """Return nothing: there is no program."""
        return ()
