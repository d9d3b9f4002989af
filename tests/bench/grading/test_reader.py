import signal
from pathlib import Path

import pytest

from mmbench.bench.grading import CheckFailedToRun
from mmbench.bench.grading.base import Refused
from mmbench.bench.grading.reader import Reader
from mmbench.bench.grading.worker import OPERATIONS


@pytest.fixture
def start(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """Return a function that makes a reader whose process also knows one operation of the test."""

    def make(body: str, **limits: float) -> Reader:
        (tmp_path / "hostile.py").write_text("import os, signal, time, sys\ndef run(**given):\n    " + body)
        code = (
            f"import sys; sys.path[:0] = [{str(Path(__file__).parents[3])!r}, {str(tmp_path)!r}];"
            "from mmbench.bench.grading import worker; worker.OPERATIONS['hostile'] = 'hostile:run'; worker.main()"
        )
        monkeypatch.setattr("mmbench.bench.grading.reader._START", code)
        readers.append(Reader(**limits))
        return readers[-1]

    readers: list[Reader] = []
    yield make
    for reader in readers:
        reader.close()


def test_one_process_answers_many_requests(tmp_path: Path) -> None:
    (tmp_path / "caf\udce9.csv").write_text("a,b\n1,2\n")
    request = {"path": str(tmp_path / "caf\udce9.csv"), "form": None, "sheet": None}
    reader = Reader()
    for _ in range(3):
        assert reader.ask("document", "x.csv", name="x.csv", **request)["rows"] == [["a", "b"], ["1", "2"]]
    with pytest.raises(Refused, match="x.json is malformed: it is not JSON"):
        reader.ask("document", "x.json", name="x.json", **request)
    reader.close()


def test_a_file_that_takes_forever_is_refused_by_processor_time(start) -> None:
    reader = start("while True: pass", cpu_seconds=1)
    with pytest.raises(Refused, match="x takes more than 1 s of processor time"):
        reader.ask("hostile", "x")


def test_a_file_that_needs_too_much_memory_is_refused(start) -> None:
    with pytest.raises(Refused, match="too much memory"):
        start("return len(bytearray(1 << 40))").ask("hostile", "x")


def test_a_file_that_crashes_its_parser_is_refused(start) -> None:
    with pytest.raises(Refused, match="crashes its parser"):
        start("os.kill(os.getpid(), signal.SIGSEGV)").ask("hostile", "x")


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("os._exit(3)", "ended with 3"),
        ("os.kill(os.getpid(), signal.SIGKILL)", f"ended with -{int(signal.SIGKILL)}"),
        ("raise KeyError('bug')", "KeyError"),
        ("return float('nan')", "ended with"),
    ],
)
def test_what_is_not_the_files_fault_is_the_graders(start, body: str, message: str) -> None:
    with pytest.raises(CheckFailedToRun, match=message):
        start(body).ask("hostile", "x")


def test_a_process_that_sleeps_is_ended_by_the_clock_and_is_the_graders_fault(start) -> None:
    with pytest.raises(CheckFailedToRun, match="no reply"):
        start("time.sleep(60)", wall_seconds=0.5).ask("hostile", "x")


def test_what_a_library_prints_does_not_reach_the_channel(start) -> None:
    reader = start("print('{}'); sys.stdout.flush(); os.write(1, b'x\\n'); return 7")
    assert reader.ask("hostile", "x") == 7


def test_no_file_can_be_written(start, tmp_path: Path) -> None:
    out = str(tmp_path / "out")
    reader = start(f"signal.signal(signal.SIGXFSZ, signal.SIG_IGN); os.write(os.open({out!r}, 65), b'x')")
    with pytest.raises(CheckFailedToRun, match="OSError"):
        reader.ask("hostile", "x")


def test_every_operation_can_be_imported() -> None:
    from importlib import import_module

    for target in OPERATIONS.values():
        module, _, function = target.partition(":")
        assert callable(getattr(import_module(module), function))
