"""Checks of what PDF and Word files say."""

from __future__ import annotations

from typing import Any

from mmbench.bench.grading.answer import TEXT_PARAMS, TEXT_RULES, find_texts
from mmbench.bench.grading.artifact import written
from mmbench.bench.grading.base import Finding, KindSpec, Params
from mmbench.bench.grading.clean import fold_text
from mmbench.bench.grading.look import Look
from mmbench.bench.grading.params import COUNT, PATH, described


def pdf_text(p: Params, look: Look) -> Finding:
    """Score the share of the wanted texts that a PDF the agent wrote holds as whole words; 0 for too many wrong ones.

    With `page_count` a PDF of another number of pages earns half.
    """
    path, pages = _pages("pdf", p, look)
    chosen = pages if p["page"] is None else pages[p["page"] - 1 : p["page"]]
    finding = find_texts(
        p, fold_text("\n".join(chosen)), path if p["page"] is None else f"Page {p['page']} of {path}"
    )
    if p["page_count"] is None or len(pages) == p["page_count"]:
        return finding
    reason = f"{finding.reason} It has {len(pages)} pages, not {p['page_count']}."
    return Finding(finding.score / 2, reason, guard=finding.guard)


def docx_text(p: Params, look: Look) -> Finding:
    """Score the share of the wanted texts that a Word file the agent wrote holds as whole words; 0 for wrong ones.

    Headers, footers, notes and comments count, deleted text does not.
    """
    path, pages = _pages("docx", p, look)
    return find_texts(p, fold_text("\n".join(pages)), path)


def _pages(operation: str, p: Params, look: Look) -> tuple[str, list[str]]:
    path = written(p["path"], look)
    reply: dict[str, Any] = look.reader.ask(operation, path, path=str(look.real_file(path)))
    return path, reply["pages"]


_TEXTS = {**TEXT_PARAMS, "max_words": described(COUNT, "Longer documents earn 0.", default=100_000)}

KINDS = {
    "pdf_text": KindSpec(
        pdf_text,
        {
            "path": PATH,
            **_TEXTS,
            "page": described(
                {"type": "integer", "minimum": 1}, "Look on this page only, the first being 1."
            ),
            "page_count": described({"type": "integer", "minimum": 1}, "How many pages it should have."),
        },
        ("path",),
        TEXT_RULES,
    ),
    "docx_text": KindSpec(docx_text, {"path": PATH, **_TEXTS}, ("path",), TEXT_RULES),
}
