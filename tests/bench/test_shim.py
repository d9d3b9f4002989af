"""The shimmed mm behaves like the real one."""

from __future__ import annotations

import os
import re
import shlex
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mmbench.bench import shim_boot
from mmbench.bench.mm import Mm
from mmbench.bench.shim import MmCall, read_calls, write_shim, write_stub
from mmbench.errors import UsageError
from tests.support.mm import installed_mm, mm_env  # noqa: F401 (the fixture `mm`)

# What a fake console script prints, so that the shell half can be tested without mm's 300 ms.
ECHO = r"""
import os, sys
if __name__ == "__main__":
    for arg in sys.argv[1:]:
        os.write(1, os.fsencode(arg) + b"\0")
    sys.exit(3)
"""


@dataclass(frozen=True)
class Arm:
    """An arm's mm, the folder of its records and the program that it stands for."""

    entry: Path
    logs: Path
    real: Path
    env: dict[str, str]

    def run(self, *argv: str | bytes, **options: object) -> subprocess.CompletedProcess[bytes]:
        return run(self.entry, *argv, **options)

    def calls(self) -> list[MmCall]:
        return read_calls(self.logs)


def run(program: Path, *argv: str | bytes, **options: object) -> subprocess.CompletedProcess[bytes]:
    settings = {"stdin": subprocess.DEVNULL, "capture_output": True, "timeout": 120, **options}
    return subprocess.run((program, *argv), check=False, **settings)


@pytest.fixture
def arm(mm: Mm, tmp_path: Path) -> Arm:
    """The real mm behind the shim."""
    return make(tmp_path, mm)


@pytest.fixture
def scripted(mm: Mm, tmp_path: Path) -> Callable[[str], Arm]:
    """Make an arm whose console script is the given text, run by this Python."""

    def build(text: str = ECHO) -> Arm:
        script = tmp_path / "script"
        script.write_text(f"#!{sys.executable}\n{text}")
        script.chmod(0o755)
        return make(tmp_path, replace(mm, python=Path(sys.executable), executable=script))

    return build


def make(base: Path, mm: Mm) -> Arm:
    logs = base / "the logs' folder"
    logs.mkdir()
    env = mm_env(base / "mm home")
    write_shim(base / "mm", mm, logs, env)
    return Arm(base / "mm", logs, mm.executable, env)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "tree"
    root.mkdir()
    (root / "list.csv").write_text("name,count\nlamp,3\n")
    (root / "note.md").write_text("# Note\nlamps\n")
    return root


TIMING = re.compile(rb"^(?:took )?(?:cached \xe2\x80\xa2 )?[\d.,]+m?s(?: \xe2\x80\xa2 .*)?$", re.MULTILINE)


@pytest.mark.parametrize(
    "command",
    [
        "--help",
        "--version",
        "find . --sort path",
        "peek list.csv --format json",
        "sql 'SELECT name FROM files ORDER BY name' --pre-index",
        "grep lamp . --kind data",
        "wc . --format json",
        "cat note.md nothing.md",
        "find nowhere",
        "--profile nope cat note.md",
        "wc --bogus",
    ],
)
def test_output_and_exit_code_are_those_of_the_real_mm(
    arm: Arm, tree: Path, tmp_path: Path, command: str
) -> None:
    real = run(
        arm.real, *shlex.split(command), cwd=tree, env={**os.environ, **mm_env(tmp_path / "other home")}
    )
    ours = arm.run(*shlex.split(command), cwd=tree)
    assert (ours.returncode, ours.stdout) == (real.returncode, real.stdout)
    assert TIMING.sub(b"", ours.stderr) == TIMING.sub(b"", real.stderr)
    (call,) = arm.calls()
    assert call.argv == tuple(shlex.split(command))
    assert call.exit_code == real.returncode and call.cwd == str(tree)
    assert call.duration_s and time.time() - 600 < call.started_at <= time.time()
    assert call.failed == (command not in GOOD)


GOOD = {
    "--help",
    "--version",
    "find . --sort path",
    "peek list.csv --format json",
    "sql 'SELECT name FROM files ORDER BY name' --pre-index",
    "grep lamp . --kind data",
    "wc . --format json",
}


def test_stdin_reaches_mm(arm: Arm, tree: Path) -> None:
    done = arm.run("cat", cwd=tree, input=b"note.md\n", stdin=None)
    assert done.stdout == b"# Note\nlamps\n\n"


def test_home_and_variables_are_for_mm_alone(scripted: Callable[[str], Arm]) -> None:
    arm = scripted("import os\nprint(os.environ['HOME'], os.environ['MM_PROFILE'], os.environ['KEPT'])")
    done = arm.run(env={"HOME": "/agent", "KEPT": "yes", "MM_PROFILE": "other", "PATH": "/usr/bin:/bin"})
    assert done.stdout.decode().split() == [*arm.env["HOME"].split(), "bench", "yes"]


def test_tools_lead_the_path_of_mm(mm: Mm, tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text("import os\nprint(os.environ['PATH'])")
    (tmp_path / "logs").mkdir()
    found = replace(mm, python=Path(sys.executable), executable=script)
    write_shim(tmp_path / "mm", found, tmp_path / "logs", {}, tmp_path / "to ols")
    assert run(tmp_path / "mm", env={"PATH": "/usr/bin"}).stdout == f"{tmp_path}/to ols:/usr/bin\n".encode()
    assert run(tmp_path / "mm", env={}).stdout.startswith(f"{tmp_path}/to ols:/usr/".encode())


def test_refuses_what_is_no_variable(mm: Mm, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="A-B"):
        write_shim(tmp_path / "mm", mm, tmp_path, {"A-B": "1"})


@given(
    argv=st.lists(
        st.one_of(
            st.binary(max_size=30),
            st.sampled_from([b"-c", b"--", b"", b"\t\n'\"\\$`;*", b"\xff\xfe", b"end"]),
        ).map(lambda arg: arg.replace(b"\0", b"")),
        max_size=6,
    )
)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_argument_survives(scripted: Callable[[str], Arm], tmp_path: Path, argv: list[bytes]) -> None:
    entry = tmp_path / "mm"
    arm = Arm(entry, tmp_path / "the logs' folder", entry, {}) if entry.exists() else scripted(ECHO)
    for old in arm.logs.iterdir():
        old.unlink()
    done = arm.run(*argv)
    assert done.stdout == b"".join(arg + b"\0" for arg in argv) and done.returncode == 3
    (call,) = arm.calls()
    assert call.argv == tuple(arg.decode("utf-8", "backslashreplace") for arg in argv)
    assert call.exit_code == 3 and call.failed


def test_150_concurrent_calls(scripted: Callable[[str], Arm]) -> None:
    arm = scripted(ECHO)
    with ThreadPoolExecutor(16) as pool:
        codes = list(pool.map(lambda n: arm.run(f"call {n}").returncode, range(150)))
    calls = arm.calls()
    assert codes == [3] * 150
    assert {call.argv for call in calls} == {(f"call {n}",) for n in range(150)}
    assert all(call.exit_code == 3 for call in calls)
    assert [call.started_at for call in calls] == sorted(call.started_at for call in calls)


@pytest.mark.parametrize("shell", ["sh -c", "bash -c", "bash -lc", "env -i /bin/sh -c"])
def test_from_any_shell_and_without_an_environment(scripted: Callable[[str], Arm], shell: str) -> None:
    arm = scripted(ECHO)
    done = subprocess.run(
        (*shell.split(), f"{arm.entry} x"), capture_output=True, stdin=subprocess.DEVNULL, check=False
    )
    assert (done.returncode, done.stdout) == (3, b"x\0")
    assert [call.argv for call in arm.calls()] == [("x",)]


def test_in_a_deleted_folder(scripted: Callable[[str], Arm], tmp_path: Path) -> None:
    arm = scripted(ECHO)
    (tmp_path / "gone").mkdir()
    done = run(Path("/bin/sh"), "-c", f'rmdir "$PWD"; exec {arm.entry} x', cwd=tmp_path / "gone")
    assert (done.returncode, done.stdout) == (3, b"x\0")
    assert [call.argv for call in arm.calls()] == [("x",)]


@pytest.mark.parametrize("spoil", ["missing", "link to nowhere", "full"])
def test_without_a_place_for_records_mm_runs_all_the_same(mm: Mm, tmp_path: Path, spoil: str) -> None:
    logs = tmp_path / "logs"
    if spoil == "link to nowhere":
        logs.symlink_to("nowhere")
    elif spoil == "full":
        logs = Path("/dev/full")  # a file where a folder should be: nothing can be made below it
    script = tmp_path / "script"
    script.write_text(ECHO)
    write_shim(tmp_path / "mm", replace(mm, python=Path(sys.executable), executable=script), logs, {})
    done = run(tmp_path / "mm", "x")
    assert (done.returncode, done.stdout, done.stderr) == (3, b"x\0", b"")
    assert read_calls(logs) == []


def test_a_record_that_could_not_be_written_is_a_call(tmp_path: Path) -> None:
    (tmp_path / "7.0").touch()
    (call,) = read_calls(tmp_path)
    assert call.reason == "its record was lost" and call.exit_code is None and not call.failed


def test_taken_names_are_passed_over(mm: Mm, tmp_path: Path) -> None:
    """Process ids repeat across pid namespaces; every call must have a record of its own."""
    logs = tmp_path / "logs"
    logs.mkdir()
    write_stub(tmp_path / "mm", logs)
    text = (tmp_path / "mm").read_text().replace("/$$.", "/1.")
    (tmp_path / "mm").write_text(text)
    for word in ("one", "two", "three"):
        run(tmp_path / "mm", word)
    assert {call.argv for call in read_calls(logs)} == {("one",), ("two",), ("three",)}


SLEEPER = "import time\nprint('up', flush=True)\ntime.sleep(60)\n"


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_signals_end_mm_as_they_would_without_a_shim(
    scripted: Callable[[str], Arm], number: signal.Signals
) -> None:
    arm = scripted(SLEEPER)
    outcomes = []
    for program in (arm.real, arm.entry):
        with subprocess.Popen((program,), stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            assert process.stdout and process.stderr
            assert process.stdout.readline() == b"up\n"
            process.send_signal(number)
            outcomes.append((process.wait(20), process.stderr.read()))
    (code, real), (our_code, ours) = outcomes
    assert code == our_code == -number
    # Which statement a signal meets is chance; that no line of the shim shows is not.
    assert ours.splitlines()[:1] == real.splitlines()[:1] and ours.splitlines()[-1:] == real.splitlines()[-1:]
    assert b"<string>" not in ours
    (call,) = arm.calls()
    if number == signal.SIGINT:
        assert call.exit_code == 130
    else:
        assert call.exit_code is None and call.duration_s is None and "no end" in call.reason


def test_a_reader_that_leaves_ends_mm_quietly(arm: Arm, tree: Path) -> None:
    (tree / "long.txt").write_text("x" * 99 + "\n" + "y\n" * 200_000)
    done = run(Path("/bin/sh"), "-c", f"{shlex.quote(str(arm.entry))} cat long.txt | head -n 1", cwd=tree)
    assert done.stdout == b"x" * 99 + b"\n" and b"Broken" not in done.stderr
    (call,) = arm.calls()
    assert call.exit_code is None and not call.failed


def test_streams_stay_what_they_are(scripted: Callable[[str], Arm]) -> None:
    shown = "type(s), s.isatty(), s.fileno(), s.mode, s.encoding, s.buffer.name"
    arm = scripted(f"import sys\nfor s in (sys.stdout, sys.stderr): print({shown})\n")
    assert arm.run().stdout == run(arm.real).stdout
    assert arm.calls()[0].exit_code == 0


def test_closed_streams(scripted: Callable[[str], Arm]) -> None:
    arm = scripted("import sys\nsys.exit(0 if sys.stdout is None else 9)")
    assert run(Path("/bin/sh"), "-c", f"{arm.entry} >&- 2>&-").returncode == 0


def test_exit_codes_and_tracebacks(scripted: Callable[[str], Arm]) -> None:
    text = (
        "import sys\nargs = sys.argv[1:]\n"
        "if args == ['none']: sys.exit()\n"
        "if args == ['text']: sys.exit('so')\n"
        "if args == ['big']: sys.exit(259)\n"
        "if args == ['boom']: 1 / 0\n"
        "if args == ['write']: print('\\ud800')\n"
    )
    arm = scripted(text)
    for word, code in {"none": 0, "text": 1, "big": 3, "boom": 1, "write": 1, "end": 0}.items():
        real, ours = run(arm.real, word), arm.run(word)
        assert (ours.returncode, ours.stdout, ours.stderr) == (real.returncode, real.stdout, real.stderr)
        assert arm.calls()[-1].exit_code == code == real.returncode


@pytest.mark.parametrize(
    ("text", "argv", "reason"),
    [
        ("print('[LLM error: no route]')", ["cat", "a.png"], "printed '[LLM error'"),
        ("print('<a.png>\\n[LLM error: no route]')", ["--profile", "x", "cat"], "printed '[LLM error'"),
        ('print(\'[{"content": "[LLM error: x]"}]\')', ["cat"], "printed '[LLM error'"),
        (
            'print(\'[{"content": "T:\\\\n\\\\n[No speech detected]"}]\')',
            ["cat"],
            "printed '[No speech detected]'",
        ),
        ("print('[ffmpeg not found — cannot process a]')", ["cat"], "printed '[ffmpeg not'"),
        ("import sys; print('Error: a not found.', file=sys.stderr)", ["cat"], "printed 'Error:'"),
        (
            "import sys; print('[LLM error: x]; [LLM error: y]', file=sys.stderr)",
            ["cat"],
            "printed '[LLM error'",
        ),
        (
            "import sys; print('Invalid regex: x', file=sys.stderr); sys.exit(1)",
            ["grep"],
            "printed 'Invalid regex:'",
        ),
        ("import sys; sys.exit(1)", ["find", "nowhere"], "exit code 1"),
        ("import sys; sys.exit(1)", ["grep", "zebra", "."], ""),
        ("import sys; sys.exit(2)", ["grep", "--bogus"], "exit code 2"),
        ("print('the manual says [LLM error: x] may appear')", ["cat"], ""),
        ("print('Error: in a log file')", ["cat"], ""),
        ("print('[LLM error: x]')", ["grep", "error"], ""),
        ("print('[No extractable text]')", ["cat"], ""),
    ],
)
def test_failures_that_mm_hides_are_told(
    scripted: Callable[[str], Arm], text: str, argv: list[str], reason: str
) -> None:
    arm = scripted(text)
    arm.run(*argv)
    (call,) = arm.calls()
    assert (call.reason, call.failed) == (reason, bool(reason))


def test_failure_of_the_real_mm_without_a_model(arm: Arm, tree: Path) -> None:
    from PIL import Image

    Image.new("RGB", (8, 8)).save(tree / "a.png")
    arm.run("cat", "a.png", cwd=tree)
    (call,) = arm.calls()
    assert call.exit_code == 0 and call.failed and call.reason == "printed '[LLM error'"


@given(st.text(), st.sampled_from(shim_boot.STDOUT_MARKS))
def test_marks_count_only_at_the_start_of_a_line_or_string(before: str, mark: str) -> None:
    found = shim_boot.marked(f"{before}{mark} more", (mark,))
    assert bool(found) == (not before or before[-1] in '\n"' or before.endswith("\\n"))


def test_the_boot_text_loads_nothing_of_ours() -> None:
    imported = re.findall(r"^(?:import|from) (\S+)", Path(shim_boot.__file__).read_text(), re.MULTILINE)
    assert set(imported) <= set(sys.stdlib_module_names)


def test_stub(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    write_stub(tmp_path / "mm", tmp_path / "logs")
    done = run(tmp_path / "mm", "find", ".", cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (127, b"", b"mm: command not found\n")
    (call,) = read_calls(tmp_path / "logs")
    assert call.argv == ("find", ".") and call.failed and call.exit_code == 127


def test_entry_is_executable_by_everyone(tmp_path: Path) -> None:
    write_stub(tmp_path / "mm", tmp_path)
    assert stat.S_IMODE((tmp_path / "mm").stat().st_mode) == 0o755
