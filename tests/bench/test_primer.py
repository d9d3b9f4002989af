"""The primer is true of the pinned mm: each example runs, each pitfall is as told."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from mmbench.bench import primer
from mmbench.bench.mm import PIN, Mm
from mmbench.errors import UsageError
from tests.support.mm import (
    SPEECH,
    Backend,
    backend,
    ffmpeg_folder,
    installed_mm,  # noqa: F401 (the fixture `mm`)
    make_tree,
    mm_env,
)

ROOT = Path(__file__).parents[2]
EXAMPLES = [
    line
    for block in re.findall(r"^```sh\n(.*?)^```$", primer.text("with_mm"), re.MULTILINE | re.DOTALL)
    for line in block.splitlines()
]
COMMANDS = {"find", "wc", "peek", "sql", "grep", "cat"}
FAILED = re.compile(r"\[LLM error|\[No speech|\[ffmpeg not|^Error|Traceback", re.MULTILINE)


@dataclass(frozen=True)
class Bench:
    """A tree of files and a mm with a home of its own and a model that answers."""

    tree: Path
    env: dict[str, str]
    model: Backend

    def sh(self, command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ("sh", "-c", command),
            check=False,
            cwd=self.tree,
            env=self.env,
            text=True,
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=120,
        )

    def out(self, command: str) -> str:
        return self.sh(command).stdout


@pytest.fixture(scope="module")
def model() -> Iterator[Backend]:
    with backend() as server:
        yield server


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_tree(tmp_path_factory.mktemp("tree") / "t")


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory, mm: Mm) -> Path:
    folder = ffmpeg_folder(tmp_path_factory.mktemp("tools") / "bin")
    (folder / "mm").symlink_to(mm.executable)
    return folder


@pytest.fixture
def bench(tmp_path: Path, tree: Path, tools: Path, model: Backend) -> Bench:
    env = {**mm_env(tmp_path / "home", model.url), "PATH": f"{tools}:{os.environ['PATH']}"}
    return Bench(tree, env, model)


# What some of the examples must show, by a part of the command.
SHOWN = {
    "--full": "Harbour handbook",
    "GROUP BY phash": "COPY.JPG",
    "GROUP BY content_hash": "stock again.csv",
    "memo.wav": SPEECH,
    "-p transcript": SPEECH,
    "rasterize": Backend.answer,
    "stock.xlsx -m accurate": "[Sums]\ntotal\t42",
    "talk.pptx": "dredging",
}


@pytest.mark.parametrize("command", EXAMPLES)
def test_every_example_runs(bench: Bench, command: str) -> None:
    bench.model.requests.clear()
    done = bench.sh(command)
    assert done.returncode == 0, done.stderr
    assert not FAILED.search(done.stdout + done.stderr)
    written = bench.tree / "photos.csv"
    shown = written.read_text() if written.exists() else done.stdout
    written.unlink(missing_ok=True)
    assert shown.strip()
    if command.endswith("--format json"):
        assert json.loads(shown)
    assert all(text in shown for part, text in SHOWN.items() if part in command)
    asked = json.dumps(bench.model.requests)
    assert all(prompt in asked for prompt in re.findall('--prompt "(.*?)"', command))
    if not re.search(r"\bmm cat .*(photos|scan|audio|video)/?", command):
        assert not bench.model.requests, "told to work without a model"


def test_examples_cover_every_command() -> None:
    used = {word for line in EXAMPLES for word in re.findall(r"\bmm (\w+)", line)}
    assert used == COMMANDS
    assert all(any(part in line for line in EXAMPLES) for part in SHOWN)


OPTIONS = """
import json
from typer.main import get_command
from mm.cli import app
commands = get_command(app).commands.items()
print(json.dumps({name: [flag for option in command.params for flag in option.opts] for name, command in commands}))
"""


def test_every_named_flag_exists(mm: Mm, tmp_path: Path) -> None:
    env = {**os.environ, **mm_env(tmp_path)}
    done = subprocess.run((mm.python, "-c", OPTIONS), env=env, text=True, capture_output=True, check=True)
    for command, known in json.loads(done.stdout).items():
        told = re.search(rf"^`mm {command}[ `].*?(?=\n\n)", primer.text("with_mm"), re.MULTILINE | re.DOTALL)
        named = set(re.findall(r"(?<!\w)--?[a-zA-Z][\w-]*", told[0])) if told else set()
        assert named <= set(known), command
        assert bool(named) == (command in COMMANDS)


def test_every_named_column_exists(bench: Bench) -> None:
    columns = re.search(r"Columns: (.*?)\. `", primer.text("with_mm"), re.DOTALL)
    assert columns
    names = re.sub(r"\(.*?\)", "", columns[1]).split()
    assert len(names) > 20
    rows = json.loads(bench.out(f'mm sql "SELECT {", ".join(names)} FROM files" --pre-index --format json'))
    assert len(rows) == 14


def test_kinds_are_as_told(bench: Bench) -> None:
    rows = json.loads(bench.out("mm find . --columns name,kind --format json"))
    kinds = {row["name"]: row["kind"] for row in rows}
    assert kinds["handbook.pdf"] == kinds["stock.xlsx"] == kinds["talk.pptx"] == "document"
    assert kinds["stock.csv"] == "data" and kinds["todo.md"] == "text" and kinds["COPY.JPG"] == "image"


def test_grep_reads_documents_notes_and_sheets(bench: Bench) -> None:
    assert set(json_paths(bench.out('mm grep "tide table" . --format json'))) == {
        "docs/handbook.pdf",
        "docs/minutes.docx",
        "docs/todo.md",
    }
    found = set(json_paths(bench.out("mm grep 'dredging|rope' . --ext .pptx,.xlsx --format json")))
    assert found == {"docs/talk.pptx", "data/stock.xlsx"}
    context = json.loads(bench.out("mm grep '# to do' docs -C 1 --format json"))
    assert context[0]["context"] == ["# To do", "print the tide table"]
    assert bench.sh("mm grep 'tide table'").returncode == 1  # without DIR nothing is searched
    assert bench.sh("mm grep 'TIDE TABLE' .").returncode == 1  # upper case is taken as it is


def json_paths(text: str) -> list[str]:
    return [row["path"] for row in json.loads(text)]


def test_metadata_is_as_told(bench: Bench) -> None:
    jpg, clip = json.loads(bench.out("mm peek photos/harbour.jpg video/clip.mp4 --format json"))
    assert jpg["exif_date"] == "2023-07-14 09:30:00" and jpg["exif_gps"].startswith("53.55")
    assert {"phash", "dimensions", "exif_camera", "content_hash"} <= set(jpg)
    assert {"duration_s", "fps", "video_codec", "audio_codec"} <= set(clip)
    query = "SELECT uri, exif_date FROM files WHERE exif_date LIKE '2023-07%' ORDER BY uri"
    rows = json.loads(bench.out(f'mm sql "{query}" --pre-index --format json'))
    assert [row["uri"] for row in rows] == [
        str(bench.tree / f"photos/{n}") for n in ("harbour.jpg", "phone.heic")
    ]


def test_failed_cats_exit_with_0(bench: Bench, tmp_path: Path) -> None:
    dead = mm_env(tmp_path / "dead")
    one = bench.sh(f"HOME={dead['HOME']} mm cat photos/garden.png")
    assert one.returncode == 0 and one.stdout.startswith("[LLM error")
    gone = bench.sh("mm cat photos/none.png")
    assert gone.returncode == 0 and gone.stderr.startswith("Error")
    heic = bench.sh("mm cat photos/phone.heic")
    assert heic.returncode == 0 and not heic.stdout and "cannot identify" in heic.stderr


def test_timings_are_on_stderr(bench: Bench) -> None:
    done = bench.sh("mm wc . --format json")
    assert re.search(r"\d(ms|s)\b", done.stderr)
    assert json.loads(done.stdout)["files"] == 14


def test_sql_without_pre_index_adds_a_hint(bench: Bench) -> None:
    assert "--pre-index" in bench.out('mm sql "SELECT name FROM files" --format json')


def test_find_and_its_extensions(bench: Bench) -> None:
    listed = [line.split("\t")[-1] for line in bench.out("mm find . --ext .jpg").splitlines()[1:]]
    assert listed == ["./photos/harbour.jpg"]
    assert len(bench.out("mm find . --ext jpg").splitlines()) == 1
    assert len(bench.out("mm find . --ext .jpg,.png").splitlines()) == 1
    assert len(bench.out(r"mm find . --name '\.(jpe?g|heic)$' -i").splitlines()) == 4


def test_paths_may_lack_the_searched_folder(bench: Bench) -> None:
    assert json_paths(bench.out("mm find docs --ext .md --columns path --format json")) == ["todo.md"]
    assert bench.out("mm grep 'tide table' docs --ext .md").startswith("todo.md:")


def test_scans_need_rasterize_as_well(bench: Bench) -> None:
    for flags in ("-m accurate", "-p rasterize"):
        assert "[No extractable text]" in bench.out(f"mm cat docs/scan.pdf {flags}"), flags


def test_images_that_look_alike_share_an_answer(bench: Bench) -> None:
    command = "mm cat {} -m accurate --prompt 'Describe it'"
    bench.out(command.format("photos/harbour.jpg"))
    bench.model.requests.clear()
    assert "cached" in bench.sh(command.format("photos/COPY.JPG")).stderr and not bench.model.requests
    bench.out(f"{command.format('photos/COPY.JPG')} --no-cache")
    assert len(bench.model.requests) == 1


def test_sheets_as_formulas(bench: Bench) -> None:
    plain = bench.out("mm cat data/stock.xlsx")
    assert "12+30" in plain and "Sums" not in plain


def test_grep_repeats_what_cat_has_read(bench: Bench) -> None:
    count = "mm grep 'print the tide' . --count"
    assert bench.out(count) == "docs/todo.md:1\n"
    bench.out("mm cat docs/todo.md")
    assert bench.out(count) == "docs/todo.md:2\n"
    assert "docs/todo.md:0:" in bench.out("mm grep 'print the tide' .")


def test_cat_of_nine_files_needs_y(bench: Bench) -> None:
    nine = " ".join(["docs/todo.md"] * 9)
    assert bench.sh(f"mm cat {nine}").returncode == 1
    assert bench.sh(f"mm cat {nine[13:]}").returncode == 0


def test_line_limits(bench: Bench) -> None:
    assert bench.out("mm cat data/stock.csv -n -1") == "lamp,4\n"


def test_one_misnamed_file_breaks_peek(bench: Bench, tmp_path: Path) -> None:
    wrong = tmp_path / "photo.txt"
    wrong.write_bytes((bench.tree / "photos" / "harbour.jpg").read_bytes())
    done = bench.sh(f"mm peek docs/todo.md {wrong}")
    assert done.returncode == 1 and not done.stdout


def test_fits_one_page_and_names_no_case() -> None:
    lines = primer.text("with_mm").splitlines()
    assert len(lines) <= 140
    assert PIN == "0.13.2", "the primer was written for this version: check it again"


def test_the_pin_is_what_gets_installed() -> None:
    listed = (ROOT / "requirements" / "mm.txt").read_text()
    assert re.search(rf"^mm-ctx=={re.escape(PIN)}\b", listed, re.MULTILINE)


def test_placebo_is_as_long_and_says_nothing_of_mm() -> None:
    real, placebo = primer.text("with_mm"), primer.text("placebo")
    assert abs(len(placebo) - len(real)) <= 0.05 * len(real)
    assert abs(placebo.count("\n") - real.count("\n")) <= 12
    assert not re.search(r"\bmm\b|\bfiles?\b|\bcommand|\bJSON\b|\btool", placebo)


@pytest.mark.parametrize("prompt", ["List them.\n", "", "a\x00b \ud800 ---\n\n# x"])
def test_compose_keeps_the_prompt_verbatim(prompt: str) -> None:
    for arm in ("without_mm", "unprimed"):
        assert primer.compose(arm, prompt) == prompt
        assert primer.sha256(arm) is None
    for arm in ("with_mm", "placebo"):
        assert primer.compose(arm, prompt) == f"{primer.text(arm)}\n---\n\n{prompt}"
        assert re.fullmatch("[0-9a-f]{64}", primer.sha256(arm) or "")
    assert primer.sha256("with_mm") != primer.sha256("placebo")


def test_unknown_arm() -> None:
    with pytest.raises(UsageError, match="with_mm"):
        primer.text("with-mm")
