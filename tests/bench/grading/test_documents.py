import io
from pathlib import Path

import docx
import pytest
from fpdf import FPDF

from mmbench.bench.grading.malformed import Malformed
from mmbench.bench.grading.papers import docx as read_docx
from mmbench.bench.grading.papers import pdf as read_pdf
from tests.bench.grading.test_spreadsheet import repacked
from tests.bench.grading.trial import Trial, trial


def pdf(*pages: str) -> bytes:
    made = FPDF()
    made.set_font("helvetica", size=12)
    for page in pages:
        made.add_page()
        made.multi_cell(0, text=page)
    return bytes(made.output())


def word(*paragraphs: str, header: str = "", cell: str = "") -> bytes:
    made = docx.Document()
    for paragraph in paragraphs:
        made.add_paragraph(paragraph)
    if cell:
        made.add_table(1, 1).cell(0, 0).text = cell
    made.sections[0].header.paragraphs[0].text = header
    out = io.BytesIO()
    made.save(out)
    return out.getvalue()


@pytest.fixture
def made(tmp_path: Path) -> Trial:
    return trial(tmp_path, {"contract.docx": word("Party A: Acme GmbH", header="Acme GmbH")})


def test_pdf_text(made: Trial) -> None:
    made.write("out.pdf", pdf("Total 381.12 EUR for Acme", "Second page says Bolt"))
    check = {"kind": "pdf_text", "path": "out.pdf"}
    assert made.scores(
        {**check, "all_of": ["381.12", "acme", "bolt"]},
        {**check, "all_of": ["acme", "bolt"], "page": 2},
        {**check, "value": "acme", "none_of": ["bolt"]},
        {**check, "value": "acme", "page_count": 2},
        {**check, "value": "acme", "page_count": 3},
    ) == [1, 0.5, 0, 1, 0.5]


def test_docx_text_replaced_everywhere(made: Trial) -> None:
    made.write("half.docx", word("Party A: Bolt AG", header="Acme GmbH"))
    made.write("whole.docx", word("Party A: Bolt AG", header="Bolt AG", cell="Bolt"))
    check = {"kind": "docx_text", "all_of": ["Bolt AG"], "none_of": ["Acme GmbH"]}
    untouched, half, whole = made.results(
        [{**check, "path": "contract.docx"}, {**check, "path": "half.docx"}, {**check, "path": "whole.docx"}]
    )
    assert (untouched.score, untouched.reason) == (0, "contract.docx is as it was at the start.")
    assert (half.score, half.reason) == (0, "half.docx holds Acme GmbH, which it must not.")
    assert whole.score == 1


def test_a_word_split_over_runs_is_whole(tmp_path: Path) -> None:
    document = docx.Document()
    paragraph = document.add_paragraph("Bo")
    paragraph.add_run("lt ").bold = True
    paragraph.add_run("AG\tand\nCo")
    document.save(str(tmp_path / "x.docx"))
    assert read_docx(str(tmp_path / "x.docx"))["pages"] == ["Bolt AG and Co"]


@pytest.mark.parametrize("data", [b"", b"%PDF-1.7", b"PK\3\4", b"junk" * 50, pdf("x")[:200]])
def test_what_is_no_document_is_malformed(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "x").write_bytes(data)
    for read in (read_pdf, read_docx):
        with pytest.raises(Malformed):
            read(str(tmp_path / "x"))


def test_a_word_file_with_entities_is_refused(tmp_path: Path) -> None:
    bomb = b'<!DOCTYPE x [<!ENTITY a "aaaa">]><w:document/>'
    (tmp_path / "x.docx").write_bytes(repacked(word("x"), {"word/document.xml": bomb}))
    with pytest.raises(Malformed, match="document type"):
        read_docx(str(tmp_path / "x.docx"))
