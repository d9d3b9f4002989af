"""Run mm's console script inside mm's own Python and add the end of the call to its record.

The shim passes this text to `python -c` with LOG SCRIPT ARGS…; it may use
nothing but what the interpreter has loaded anyway, and mm must not notice it:
same argv, streams, exit code, signals and tracebacks. A killed call has no end.
"""

import atexit
import os
import sys
import time
import types
import typing

# mm reports many failures as text and exits with 0. They count only where a line (or a JSON
# string) starts with them, so that a document which mentions one is not taken for a failure.
STDOUT_MARKS = (
    "[LLM error",
    "[No speech detected]",
    "[ffmpeg not ",
    "[no transcription backend",
    "[No LLM-compatible",
    "[No pages could be rasterized",
    "[Failed to read",
)
STDERR_MARKS = ("[LLM error", "Error: ", "Error processing ", "Invalid regex: ")

exit_code = 0
mark_seen = ""


def marked(text: str, marks: tuple[str, ...]) -> str:
    """Return the failure mark that a line of the text starts with, or an empty string."""
    for mark in marks:
        at = text.find(mark)
        while at >= 0:
            if at == 0 or text[at - 1] in '\n"' or text[max(at - 2, 0) : at] == "\\n":
                return mark
            at = text.find(mark, at + 1)
    return ""


def watch(stream: typing.TextIO | None, marks: tuple[str, ...]) -> None:
    """Look at what is written to a text stream, which stays the same object."""
    if stream is None:  # started with the descriptor closed
        return
    write = stream.write

    def watched(text: str) -> int:
        global mark_seen  # noqa: PLW0603 (read by the exit handler)
        if not mark_seen and isinstance(text, str):
            mark_seen = marked(text, marks)
        return write(text)

    stream.write = watched  # type: ignore[method-assign]


def open_record(log: str) -> tuple[int, int] | None:
    """Open the call's record and return its descriptor and start in ns, or None when there is none."""
    try:
        fd = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    # The shell wrote the record a moment ago, so its time is the start; a wild one is not believed.
    started, now = os.fstat(fd).st_mtime_ns, time.time_ns()
    return fd, (started if 0 <= now - started < 10**10 else now)


def end(fd: int, started: int, before: int, clock: int, pid: int) -> None:
    """Append start, duration in ns, exit code and failure mark; one write."""
    if os.getpid() != pid:  # a forked child that runs the parent's exit handlers
        return
    took = time.monotonic_ns() - clock + before
    try:
        os.write(fd, f"end\0{started}\0{took}\0{exit_code}\0{mark_seen}\0".encode())
    except OSError:  # a full disk is no reason to disturb mm
        return


def ours(trace: types.TracebackType) -> bool:
    """Tell whether a level of a traceback is this text, and not what it runs."""
    return trace.tb_frame.f_code.co_filename == "<string>" and trace.tb_frame.f_globals is globals()


def hook(kind: type[BaseException], error: BaseException, trace: types.TracebackType | None) -> None:
    """Print an uncaught exception as if the console script had been started directly."""
    while trace is not None and ours(trace):
        trace = trace.tb_next
    level = trace
    while level is not None:
        while level.tb_next is not None and ours(level.tb_next):
            level.tb_next = level.tb_next.tb_next
        level = level.tb_next
    sys.__excepthook__(kind, error.with_traceback(trace), trace)


def run(script: str) -> None:
    """Run the console script as `__main__`, noting how it ends."""
    global exit_code  # noqa: PLW0603 (read by the exit handler)
    sys.argv[:] = [script, *sys.argv[3:]]
    if not sys.flags.safe_path:
        sys.path[0] = os.path.dirname(script)  # noqa: PTH120 (pathlib is not loaded yet)
    sys.excepthook = hook
    main = sys.modules["__main__"].__dict__
    main["__file__"] = script
    with open(script, "rb") as source:  # noqa: PTH123
        code = compile(source.read(), script, "exec")
    try:
        exec(code, main)  # noqa: S102 (it is mm's own entry point)
    except SystemExit as stop:
        exit_code = stop.code & 255 if isinstance(stop.code, int) else int(stop.code is not None)
        raise
    except BaseException as error:
        exit_code = 130 if isinstance(error, KeyboardInterrupt) else 1
        raise


if __name__ == "__main__":
    record = open_record(sys.argv[1])
    if record is not None:
        fd, started = record
        atexit.register(end, fd, started, time.time_ns() - started, time.monotonic_ns(), os.getpid())
        watch(sys.stdout, STDOUT_MARKS)
        watch(sys.stderr, STDERR_MARKS)
    run(sys.argv[2])
