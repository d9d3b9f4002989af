from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mmbench import cli
from mmbench.bench.judge import pairs
from mmbench.errors import DataError
from tests.bench.judge.samples import SECRET
from tests.support.judge_endpoint import JudgeEndpoint, Question

PNG = b"\x89PNG\r\n\x1a\n"


def prefers(word: str) -> Any:
    """Return a judge that prefers the response with a word, wherever it stands, and else the first."""

    def speak(question: Question) -> str:
        first, second = question.text.split("-----BEGIN RESPONSE B")
        return json.dumps({"reason": "", "choice": "B" if word in second and word not in first else "A"})

    return speak


def entry(name: str, a: str, b: str, **more: Any) -> dict[str, Any]:
    return {"id": name, "prompt": "Which bird?", "response_a": a, "response_b": b, "chosen": "A", **more}


def write(folder: Path, *entries: dict[str, Any]) -> Path:
    path = folder / "pairs.json"
    path.write_text(json.dumps({"pairs": entries}))
    return path


def words(endpoint: JudgeEndpoint, file: Path, out: Path, *more: str) -> list[str]:
    place = ("--judge.model", "m", "--judge.base-url", endpoint.base_url, "--judge.api-key", SECRET)
    return ["judge", "pairs", "--pairs", str(file), "--out", str(out), *place, *more]


THREE = (entry("1", "heron", "egret"), entry("2", "egret", "heron"), entry("3", "gull", "gull"))


def test_predictions_are_made_in_both_orders_and_can_be_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, out = write(tmp_path, *THREE), tmp_path / "out.json"
    with JudgeEndpoint(prefers("heron")) as endpoint:
        assert cli.main(words(endpoint, file, out)) == 0
    assert len(endpoint.questions) == 6
    found = json.loads(out.read_text())
    said = {name: [found[name][order][0]["judgement"] for order in ("forward", "reverse")] for name in found}
    assert said == {"1": ["A", "B"], "2": ["B", "A"], "3": ["A", "A"]}
    assert found["1"]["forward"][0]["evaluator"] == "m"
    assert not list(tmp_path.glob("*.partial"))
    assert SECRET not in out.read_text()
    capsys.readouterr()
    assert cli.main(["judge", "accuracy", "--pairs", str(file), "--predictions", str(out), "--json"]) == 0
    overall = json.loads(capsys.readouterr().out)["overall"]
    assert (overall["correct"], overall["verdicts"], overall["missing"]) == (3, 6, 0)


def test_resume_asks_for_the_missing_pairs_only(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, out = write(tmp_path, *THREE), tmp_path / "out.json"
    with JudgeEndpoint(prefers("heron")) as endpoint:
        endpoint.speak = lambda q: prefers("heron")(q) if "gull" not in q.text else "I cannot say"
        assert cli.main(words(endpoint, file, out)) == 1
        assert "1 pairs have no verdict" in capsys.readouterr().err
        assert set(json.loads(out.read_text())) == {"1", "2"}
        before = len(endpoint.questions)
        endpoint.speak = prefers("heron")
        assert cli.main(words(endpoint, file, out)) == 2
        assert cli.main(words(endpoint, file, out, "--resume")) == 0
        assert len(endpoint.questions) == before + 2
        assert cli.main(words(endpoint, file, out, "--resume")) == 0
        assert len(endpoint.questions) == before + 2
    assert set(json.loads(out.read_text())) == {"1", "2", "3"}


def test_a_torn_journal_is_repaired_and_another_judge_is_not_mixed_in(tmp_path: Path) -> None:
    file, out = write(tmp_path, *THREE), tmp_path / "out.json"
    with JudgeEndpoint(prefers("heron")) as endpoint:
        assert cli.main(words(endpoint, file, out)) == 0
        found = json.loads(out.read_text())
        out.unlink()
        journal = tmp_path / "out.json.partial"
        config = pairs.Journal.open(out, _config(endpoint), pairs.load(file), resume=False)
        config.add("1", found["1"])
        with journal.open("ab") as torn:
            torn.write(b'{"pair": "2", "predic')
        before = len(endpoint.questions)
        assert cli.main([*words(endpoint, file, out, "--resume"), "--judge.model", "other"]) == 2
        assert cli.main(words(endpoint, file, out, "--resume")) == 0
        assert len(endpoint.questions) == before + 4
    assert json.loads(out.read_text()) == found


def _config(endpoint: JudgeEndpoint) -> pairs.Config:
    return pairs.Config("score", ("m",), "openai", endpoint.base_url, SECRET)


def test_several_processes_share_the_work(tmp_path: Path) -> None:
    file, out = write(tmp_path, *THREE), tmp_path / "out.json"
    with JudgeEndpoint(prefers("heron")) as endpoint:
        assert cli.main(words(endpoint, file, out, "--jobs", "2")) == 0
    assert len(endpoint.questions) == 6
    assert set(json.loads(out.read_text())) == {"1", "2", "3"}


def test_text_and_pictures_are_shown_in_their_order(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(PNG + b"a")
    (tmp_path / "b.jpg").write_bytes(b"\xff\xd8\xffb")
    both = entry(
        "1",
        "x",
        "y",
        prompt_content=[["text", "Draw it."], ["image", "a.png"]],
        response_a={"model_name": "x", "response_content": [["text", "here"], ["image", "b.jpg"]]},
    )
    with JudgeEndpoint(prefers("here")) as endpoint:
        assert cli.main(words(endpoint, write(tmp_path, both), tmp_path / "out.json")) == 0
    assert [question.images for question in endpoint.questions] == [("image/png", "image/jpeg")] * 2
    assert "here\n(see response A, picture 1)" in endpoint.questions[0].text
    assert "here\n(see response B, picture 1)" in endpoint.questions[1].text


@pytest.mark.parametrize(
    "response",
    [
        None,
        5,
        [["video", "x"]],
        [["image", "../secret.png"]],
        [["image", "gone.png"]],
        [["image", "text.png"]],
        ["x"],
    ],
)
def test_a_response_of_another_form_is_named(tmp_path: Path, response: Any) -> None:
    (tmp_path / "secret.png").write_bytes(PNG)
    folder = tmp_path / "images"
    folder.mkdir()
    (folder / "text.png").write_text("no picture")
    with pytest.raises(DataError):
        pairs.pair_of(entry("1", "x", "y") | {"response_b": response}, folder)


def test_a_key_that_is_refused_stops_at_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with JudgeEndpoint(refuses=("messages",)) as endpoint:
        assert cli.main(words(endpoint, write(tmp_path, *THREE), tmp_path / "out.json")) == 1
    assert len(endpoint.asked) <= 4
    assert "--resume" in capsys.readouterr().err
