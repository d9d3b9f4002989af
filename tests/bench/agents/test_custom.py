"""Agents from elsewhere: by module, by entry point, by file; and what is said when one is wrong."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

import pytest

from mmbench.bench import agents
from mmbench.bench.agents.base import Launch, RawRun, Task
from mmbench.bench.agents.custom import load
from mmbench.bench.agents.declaration import read
from mmbench.bench.agents.declared import DeclaredAgent
from mmbench.errors import UsageError
from mmbench.outcome import Outcome

ROOT = Path(__file__).parents[3]
DATA = ROOT / "tests" / "data" / "custom"
HERE = __name__


class Whole:
    """A class that is an agent."""

    name = "whole"
    adapter_version = "1"
    executable = "whole"
    reference = False
    wire = None
    credentials_env: tuple[str, ...] = ()
    credentials_files: tuple[str, ...] = ()

    def launch(self, task: Task) -> Launch:
        return Launch(argv=("whole",))

    def parse(self, raw: RawRun) -> Outcome:
        return Outcome(status="no_answer")

    def version_argv(self) -> tuple[str, ...]:
        return ("whole", "--version")


class Half:
    """A class that lacks half of it."""

    name = "half"
    adapter_version = 1
    executable = "half"
    reference = False
    wire = None
    credentials_env = ["A"]
    credentials_files: tuple[str, ...] = ()

    def launch(self, task: Task) -> Launch:
        return Launch(argv=("half",))


class Shouting(Whole):
    """An agent whose name is no file name."""

    name = "Not A Name"


class Demanding(Whole):
    """An agent that cannot be made without an argument."""

    def __init__(self, key: str) -> None:
        self.key = key


def test_a_class_is_named_by_its_module() -> None:
    assert isinstance(load(f"{HERE}:Whole"), Whole)


def test_a_file_is_named_by_its_path() -> None:
    agent = load(str(DATA / "crush.toml"))
    assert isinstance(agent, DeclaredAgent)
    assert agent.name == "crush"


def test_an_entry_point_is_named_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    info = tmp_path / "pkg-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: pkg\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(
        f"[mmbench.agents]\nwhole-one = {HERE}:Whole\ngone = no_such_module:Agent\n", encoding="utf-8"
    )
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    assert isinstance(load("whole-one"), Whole)
    with pytest.raises(UsageError, match="cannot be imported") as caught:
        load("gone")
    assert "gone = no_such_module:Agent" in caught.value.where
    with pytest.raises(UsageError, match="whole-one"):
        load("whole-two")


class Impostor(Whole):
    """An agent under the name of a built-in one."""

    name = "claude"


def test_a_built_in_agents_name_is_not_taken_over(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    text = (DATA / "plain.toml").read_text()
    file.write_text(re.sub(r'^name = ".*"$', 'name = "oracle"', text, flags=re.M))
    for name in (f"{HERE}:Impostor", str(file)):
        with pytest.raises(UsageError, match="like a built-in one"):
            agents.load(name)


def test_the_built_in_agents_come_first() -> None:
    assert agents.load("nop").name == "nop"
    assert isinstance(agents.load(f"{HERE}:Whole"), Whole)
    with pytest.raises(UsageError, match="Did you mean claude"):
        agents.load("clade")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        (f"{HERE}:Missing", "cannot be imported"),
        ("no_such_module_at_all:Agent", "cannot be imported"),
        (":Agent", "cannot be imported"),
        (f"{HERE}:HERE", "not a class"),
        (f"{HERE}:Shouting", "`name` may hold only"),
        (f"{HERE}:Demanding", "without arguments"),
        ("no-such-file.toml", "cannot be read"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(name: str, words: str) -> None:
    with pytest.raises(UsageError) as caught:
        load(name)
    assert words in caught.value.what
    assert name in caught.value.where


def test_everything_a_class_lacks_is_listed() -> None:
    with pytest.raises(UsageError) as caught:
        load(f"{HERE}:Half")
    for part in ("`adapter_version`", "`credentials_env`", "`parse`", "`version_argv`"):
        assert part in caught.value.what
    assert "`launch`" not in caught.value.what


def test_the_page_shows_declarations_that_are_right(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "custom-agents.md").read_text(encoding="utf-8")
    blocks = [block for block in re.findall(r"```toml\n(.*?)```", page, re.S) if "argv" in block]
    assert len(blocks) == 2
    for block in blocks:
        path = tmp_path / f"{tomllib.loads(block)['name']}.toml"
        path.write_text(block, encoding="utf-8")
        assert read(path).name == path.stem


def test_the_page_shows_a_class_that_is_an_agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (ROOT / "docs" / "custom-agents.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```python\n(.*?)```", page, re.S)
    (tmp_path / "page_agent.py").write_text(block, encoding="utf-8")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    agent = load("page_agent:MyAgent")
    done = agent.parse(RawRun(b'{"type": "end", "answer": "42"}\n', b"", 0))
    assert (done.status, done.final_text) == ("completed", "42")
    assert agent.parse(RawRun(b"\xff\x00", b"", 0)).parse == "unknown"
