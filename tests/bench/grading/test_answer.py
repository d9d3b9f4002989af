from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mmbench.bench.grading import CheckFailedToRun
from tests.bench.grading.trial import Trial, trial

FILES = [f"photos/IMG_{n}.jpg" for n in range(2200, 2260)] + [
    "docs/report.pdf",
    "docs/old/report.pdf",
    "a b.txt",
]
WANTED = ["photos/IMG_2235.jpg", "docs/report.pdf"]


@pytest.fixture
def files(tmp_path: Path) -> Trial:
    return trial(tmp_path, FILES)


def test_names_file_by_bare_name_and_by_path(files: Trial) -> None:
    assert files.score("It is IMG_2235.jpg.", kind="names_file", path="IMG_2235.jpg") == 1
    assert files.score("It is IMG_2235.jpg.", kind="names_file", path="photos/IMG_2235.jpg") == 1
    assert files.score("It is report.pdf.", kind="names_file", path="docs/report.pdf") == 0
    assert files.score("It is docs/report.pdf.", kind="names_file", path="docs/report.pdf") == 1
    assert files.score("", kind="names_file", path="IMG_2235.jpg") == 0


def test_a_bare_name_of_several_files_is_the_cases_fault(files: Trial) -> None:
    with pytest.raises(CheckFailedToRun, match="the name of 2 files"):
        files.score("docs/report.pdf", kind="names_file", path="report.pdf")


def test_names_file_gives_the_share_of_several(files: Trial) -> None:
    result = files.result("IMG_2235.jpg", kind="names_file", path=WANTED)
    assert result.score == 0.5
    assert result.reason == "The answer does not name docs/report.pdf."


def test_naming_every_file_earns_nothing_by_default_either(files: Trial) -> None:
    assert files.score("\n".join(FILES), kind="names_file", path=WANTED) == 0
    assert files.score("\n".join(FILES[:15] + WANTED), kind="names_file", path=WANTED) == 1


def test_a_file_that_the_agent_made_can_be_asked_for(files: Trial) -> None:
    assert files.score("I wrote out/new.csv", kind="names_file", path="out/new.csv") == 1


def test_naming_every_file_earns_nothing(files: Trial) -> None:
    checks = [{"kind": "names_file", "path": path, "max_other_files": 3} for path in WANTED]
    assert files.share(checks, "\n".join(FILES)) == 0
    assert files.share(checks, " ".join(WANTED)) == 1


def test_the_files_other_checks_ask_for_are_not_counted_as_others(files: Trial) -> None:
    checks = [{"kind": "names_file", "path": path, "max_other_files": 0} for path in WANTED]
    assert files.share(checks, " ".join(WANTED)) == 1
    assert files.share(checks, " ".join(WANTED) + " IMG_2236.jpg") == 0


def test_the_reason_lists_a_few_of_many(files: Trial) -> None:
    reason = files.result(" ".join(FILES), kind="names_file", path=WANTED, max_other_files=5).reason
    assert "and 56 more" in reason
    assert len(reason) < 300


def test_contains_number(files: Trial) -> None:
    check = {"kind": "contains_number", "value": "342775.48"}
    assert files.share([check], "The total is $342,775.48") == 1
    result = files.results([check], "The total is 1342775.489 or 7")[0]
    assert result.score == 0
    assert result.reason == "The answer does not state 342775.48; it states 1342775.489, 7."


def test_numbers_take_a_tolerance_absolute_or_relative(files: Trial) -> None:
    assert files.score("about 98", kind="contains_number", value=100, tolerance=2) == 1
    assert files.score("about 97.9", kind="contains_number", value=100, tolerance=2) == 0
    assert files.score("about 95", kind="contains_number", value=100, relative_tolerance=0.05) == 1


def test_a_number_can_be_asked_for_near_a_text(files: Trial) -> None:
    answer = "BLEU for German is 28.4." + " filler" * 100 + " For French it is 41.8."
    assert files.score(answer, kind="contains_number", value=28.4, near="bleu", within=40) == 1
    result = files.result(answer, kind="contains_number", value=41.8, near="BLEU", within=40)
    assert result.score == 0
    assert "near 'BLEU'" in result.reason


def test_hedging_with_a_known_wrong_number_earns_nothing(files: Trial) -> None:
    assert files.score("28.4 or 41.8", kind="contains_number", value=28.4, none_of=[41.8]) == 0
    assert files.score("28.4 it is", kind="contains_number", value=28.4, none_of=[41.8]) == 1


@pytest.mark.parametrize("separator", [" ", "\n", ", ", ",", "; "])
@pytest.mark.parametrize("last", [1000, 100_000])
def test_printing_every_number_earns_nothing(files: Trial, separator: str, last: int) -> None:
    answer = separator.join(map(str, range(last)))
    assert files.score(answer, kind="contains_number", value=180) == 0


def test_contains_text_counts_whole_words_whatever_their_case(files: Trial) -> None:
    check = {"kind": "contains_text", "value": "Attention Is All You Need"}
    assert files.share([check], "Title: **Attention** is all\nyou need!") == 1
    assert files.share([check], "Attention is all you needed") == 0


def test_contains_text_any_all_and_none(files: Trial) -> None:
    check = {
        "kind": "contains_text",
        "any_of": ["image", "photo"],
        "all_of": ["a", "b"],
        "none_of": ["video"],
    }
    assert files.share([check], "photo a b") == 1
    assert files.share([check], "photo a") == pytest.approx(2 / 3)
    assert files.share([check], "photo a b video") == 0
    assert files.share([{**check, "max_wrong": 1}], "photo a b video") == 1


def test_printing_every_word_earns_nothing(files: Trial) -> None:
    words = " ".join(f"w{n}" for n in range(20_000)) + " image"
    assert files.score(words, kind="contains_text", value="image") == 0


def test_an_empty_answer_earns_nothing_for_what_it_leaves_out(files: Trial) -> None:
    assert files.score("", kind="contains_text", none_of=["video"]) == 0


def test_leaving_out_a_text_is_worth_the_share_of_the_other_checks(files: Trial) -> None:
    checks = [
        {"kind": "contains_text", "none_of": ["video"]},
        {"kind": "contains_text", "value": "image"},
        {"kind": "contains_text", "value": "180"},
    ]
    guard, *_ = files.results(checks, "image 17")
    assert guard.score == 0.5
    assert guard.reason.endswith("Counted by the other checks' share, 0.50.")


def test_terminal_escapes_do_not_hide_or_forge_an_answer(files: Trial) -> None:
    assert files.score("IMG_\x1b[31m2235\x1b[0m.jpg", kind="names_file", path="IMG_2235.jpg") == 1
    assert files.score("18\x1b[0m0 files", kind="contains_number", value=180) == 1
    assert files.score("\x1b]0;IMG_2235.jpg\x07none", kind="names_file", path="IMG_2235.jpg") == 0


def test_an_answer_longer_than_anyone_reads_earns_nothing(files: Trial) -> None:
    answer = "180 image IMG_2235.jpg " + "x" * 3_000_000
    checks = [
        {"kind": "contains_number", "value": 180},
        {"kind": "contains_text", "value": "image"},
        {"kind": "names_file", "path": "IMG_2235.jpg"},
    ]
    assert {result.reason for result in files.results(checks, answer)} == {
        "The answer is longer than 200,000 characters."
    }


@given(st.text(st.characters(), max_size=400))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_answer_is_graded_and_every_reason_can_be_written(files: Trial, answer: str) -> None:
    checks = [
        {"kind": "names_file", "path": WANTED, "max_other_files": 1},
        {"kind": "contains_number", "value": 7, "near": "é"},
        {"kind": "contains_text", "all_of": ["x", "\u00df"], "none_of": ["z"]},
    ]
    for result in files.results(checks, answer):
        assert 0 <= result.score <= 1
        assert result.reason.encode("utf-8")
