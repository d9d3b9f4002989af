"""A scripted model server on loopback: real agent CLIs run against it with no account and no key.

It speaks the four wire APIs the CLIs use, streaming or not, asks for the
scripted shell commands one turn after the other, then gives the final text.
What it served, it knows exactly: tests compare an agent's report with it.
"""

from tests.support.loopback.script import CallUsage, Mode, Request, Script, UsageServed, total
from tests.support.loopback.server import LoopbackModel

__all__ = ["CallUsage", "LoopbackModel", "Mode", "Request", "Script", "UsageServed", "total"]
