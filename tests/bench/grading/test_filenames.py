import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmbench.bench.grading.filenames import Names

TREE = [
    "a.jpg", "photos/IMG_2235.JPG", "photos/summer trip/beach (1).png", "photos/Über uns.pdf", "docs/report.pdf",
    "docs/old/report.pdf", "docs/100% done.txt", "docs/R&D [draft].md", ".hidden/.env", "-rf", "地图.jpg", "图.jpg",
    "docs/it's here.txt", "old a.jpg",
]  # fmt: skip


def named(text: str, tree: list[str] | None = None) -> set[str]:
    return set(Names(tree or TREE).named_in(text))


@pytest.mark.parametrize(
    "text",
    [
        "a.jpg", "It is a.jpg.", "`a.jpg`", "**a.jpg**", "(a.jpg)", "'a.jpg'", "./a.jpg", "/data/a.jpg", "a.jpg:12",
        "- a.jpg", "-a.jpg", "[a.jpg](a.jpg)", "a.jpg, b.jpg", "file=a.jpg", "a\\.jpg", "文件a.jpg", "“a.jpg”",
        "| a.jpg |", "a.jpg\n", "<a.jpg>", "a.jpg!", "a\u200b.jpg", "@a.jpg", "…/a.jpg", "~/a.jpg", "a.jpg - the one",
    ],
)  # fmt: skip
def test_a_name_is_found_at_borders(text: str) -> None:
    assert named(text) == {"a.jpg"}


@pytest.mark.parametrize(
    "text",
    [
        "data.jpg", "a.jpgx", "a.jpg.bak", "my-a.jpg", "b.a.jpg", "a.jpg~", "a_jpg", "A.JPG", "a.jpeg", "1a.jpg",
        "a.jpg-old", "a.jpg/x", "_a.jpg", "old a.jpg", "", "a . jpg", "a.jpg_2", "éa.jpg",
    ],
)  # fmt: skip
def test_a_part_of_another_name_is_not_that_name(text: str) -> None:
    assert "a.jpg" not in named(text)


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("see IMG_2235.JPG", "photos/IMG_2235.JPG"),
        ("see IMG\\_2235.JPG", "photos/IMG_2235.JPG"),
        ("photos\\IMG_2235.JPG", "photos/IMG_2235.JPG"),
        ("photos/summer trip/beach (1).png", "photos/summer trip/beach (1).png"),
        ("photos/summer\\ trip/beach\\ \\(1\\).png", "photos/summer trip/beach (1).png"),
        ("file:///x/photos/summer%20trip/beach%20%281%29.png", "photos/summer trip/beach (1).png"),
        ("beach\u00a0(1).png", "photos/summer trip/beach (1).png"),
        (unicodedata.normalize("NFD", "Über uns.pdf"), "photos/Über uns.pdf"),
        (unicodedata.normalize("NFC", "Über uns.pdf"), "photos/Über uns.pdf"),
        ("100% done.txt", "docs/100% done.txt"),
        ("R&amp;D \\[draft\\].md", "docs/R&D [draft].md"),
        ("it’s here.txt", "docs/it's here.txt"),
        (".env", ".hidden/.env"),
        ("./-rf", "-rf"),
        ("docs/report.pdf", "docs/report.pdf"),
        ("/home/u/docs/old/report.pdf", "docs/old/report.pdf"),
        ("old/report.pdf", "docs/old/report.pdf"),
    ],
)
def test_spellings_and_paths(text: str, path: str) -> None:
    assert named(text) == {path}


def test_an_ambiguous_name_needs_its_path() -> None:
    assert named("report.pdf") == set()
    assert named("reports/report.pdf") == set()


def test_another_folder_is_another_file() -> None:
    assert named("videos/IMG_2235.JPG") == set()


def test_a_root_file_is_told_from_its_namesake_below() -> None:
    tree = ["x.txt", "sub/x.txt"]
    assert named("x.txt", tree) == {"x.txt"}
    assert named("sub/x.txt", tree) == {"sub/x.txt"}
    assert named("/data/x.txt", tree) == {"x.txt"}


def test_a_longer_name_hides_the_shorter_one_in_it() -> None:
    assert named("地图.jpg") == {"地图.jpg"}
    assert named("图.jpg") == {"图.jpg"}
    assert named("old a.jpg and a.jpg") == {"old a.jpg", "a.jpg"}


@pytest.mark.parametrize(
    "text", ["caf\udce9.txt", "caf\ufffd.txt", "café.txt", "$'caf\\351.txt'", "caf\\xe9.txt"]
)
def test_a_name_that_is_not_utf8_may_be_written_in_several_ways(text: str) -> None:
    assert named(text, ["sub/caf\udce9.txt"]) == {"sub/caf\udce9.txt"}


def test_a_listing_of_the_tree_names_every_file() -> None:
    assert named("\n".join(TREE)) == set(TREE)


NAME = st.text(st.characters(codec="utf-8", exclude_characters="/\n\r\0\\"), min_size=1, max_size=20).filter(
    lambda name: name.strip() == name and name not in (".", "..") and name.isprintable()
)


@given(NAME, st.sampled_from(["{}", "`{}`", '"{}"', "the file {}", "x/y\n{}\n"]))
def test_any_printable_name_is_found_when_it_is_written(name: str, around: str) -> None:
    name += ".dat"
    assert named(around.format(name), [name]) == {name}


@given(st.text(max_size=200))
def test_any_text_is_scanned_without_an_error(text: str) -> None:
    assert named(text) <= set(TREE)
