"""What the artifact cases must hold for true."""

from __future__ import annotations

from collections import Counter
from typing import Any

from tests.cases.common import Labels, Truth, Truths, below, extension, kind, manifest

FILM = {"seconds": 5.3, "width": 480, "height": 270, "sound": True}
"""The real film among the videos, which the dataset takes as it is."""
RATES = {"EUR": 1.0, "NOK": 10.0, "SEK": 10.0, "GBP": 0.80, "USD": 1.25, "CHF": 0.90}
"""What one euro is in the bookkeeping of the user, who tells it when asked."""
NEW_PARTY = "Halden Group AS"
SIGNS_TAKEN = "2023-09-14 08:02:00"
"""When the container and the signs were photographed, all six at once."""


def invoice_table(labels: Labels) -> Truth:
    """List every invoice as a row."""
    columns = ("vendor", "number", "date", "currency", "total")
    rows = [
        {"file": below(invoice["path"], "Invoices")} | {name: invoice[name] for name in columns}
        for invoice in labels["invoices"]
    ]
    return {"rows": [row | {"total": float(row["total"])} for row in rows]}


def budget_changes(labels: Labels) -> Truth:
    """List what differs between the two budgets."""
    rows = [
        {"sheet": c["sheet"], "item": c["item"], "change": "changed", "old": c["old"], "new": c["new"]}
        for c in labels["budget_changed"]
    ]
    gone, come = labels["budget_removed"], labels["budget_added"]
    rows.append({**_place(gone), "change": "removed", "old": gone["old"], "new": None})
    rows.append({**_place(come), "change": "added", "old": None, "new": come["new"]})
    return {"older": labels["budget_old"], "newer": labels["budget_new"], "rows": rows}


def _place(change: dict[str, Any]) -> Truth:
    return {"sheet": change["sheet"], "item": change["item"]}


def video_table(labels: Labels) -> Truth:
    """List every video with its length, size and whether it has sound."""
    rows = [
        {
            "file": below(path, "Videos"),
            "seconds": video["seconds"],
            "width": video["width"],
            "height": video["height"],
            "sound": video["sound"],
        }
        for path, video in sorted(labels["videos"].items())
    ]
    return {"rows": [*rows, {"file": below(labels["video_film"], "Videos"), **FILM}]}


def photo_log(labels: Labels) -> Truth:
    """List the dated photos of the camera roll in the order in which they were taken."""
    signs = [labels["container"]["path"], *labels["photo_texts"]]
    dated = labels["camera_roll_taken"] | dict.fromkeys(signs, SIGNS_TAKEN)
    folder = labels["camera_roll_folder"]
    taken = sorted((moment, below(path, folder)) for path, moment in dated.items())
    return {"rows": [{"file": path, "taken": _spellings(moment)} for moment, path in taken]}


def _spellings(moment: str) -> list[str]:
    day, time = moment.split(" ")
    return [moment, f"{day}T{time}", f"{day.replace('-', ':')} {time}"]


def inventory(_: Labels) -> Truth:
    """Count files and bytes by folder and kind, the largest row first."""
    count: Counter[tuple[str, str]] = Counter()
    size: Counter[tuple[str, str]] = Counter()
    for entry in manifest():
        place = entry.path.partition("/")[0], kind(entry.path)
        count[place] += 1
        size[place] += entry.size
    order = sorted(count, key=lambda place: -size[place])
    return {
        "rows": [
            {"folder": folder, "kind": name, "files": count[folder, name], "bytes": size[folder, name]}
            for folder, name in order
        ]
    }


def rename_party(labels: Labels) -> Truth:
    """Count the places where the party is named in each Word file."""
    counts = labels["party_docx_counts"]
    rows = [{"file": below(path, "Contracts"), "replacements": n} for path, n in sorted(counts.items())]
    return {
        "old": labels["party"],
        "new": NEW_PARTY,
        "rows": rows,
        "untouched": [below(path, "Contracts") for path in labels["party_docx_untouched"]],
    }


def document_checksums(_: Labels) -> Truth:
    """List size and SHA-256 of every PDF and office file."""
    wanted = ("pdf", "docx", "xlsx", "pptx")
    rows = [
        {"file": entry.path, "bytes": entry.size, "sha256": entry.sha256}
        for entry in manifest()
        if extension(entry.path) in wanted
    ]
    return {"rows": rows}


def swap_channels(labels: Labels) -> Truth:
    """Tell which stereo clips have their channels crossed."""
    folder = labels["stereo_folder"]
    return {
        "swapped": [below(path, folder) for path in labels["stereo_swapped"]],
        "right": [below(path, folder) for path in labels["stereo_right"]],
    }


def subtitles(labels: Labels) -> Truth:
    """Quote what is said in the clip."""
    clip = labels["subtitle_clip"]
    return {
        "file": below(clip["path"], "Videos"),
        "lines": clip["lines"],
        "seconds": labels["videos"][clip["path"]]["seconds"],
    }


def mail_attachments(labels: Labels) -> Truth:
    """List the attachments of all mails, the later one where two have the same name."""
    latest: dict[str, Truth] = {}
    for mail in sorted(labels["mails"], key=lambda mail: str(mail["sent"])):
        for one in mail["attachments"]:
            latest[one["name"]] = {
                "file": f"{mail['sent'][:10]} {one['name']}",
                "from": mail["from"],
                "subject": mail["subject"],
                "bytes": one["size"],
                "sha256": one["sha256"],
            }
    return {"attachments": [latest[name] for name in sorted(latest)]}


def yearly_cost(labels: Labels) -> Truth:
    """List the contracts of the party with their yearly price, converted at the user's rates."""
    rows = [
        {
            "file": below(contract["path"], "Contracts"),
            "price": contract["yearly_price"],
            "currency": contract["currency"],
            "euros": round(contract["yearly_price"] / RATES[contract["currency"]]),
        }
        for contract in labels["contracts"]
        if labels["party"] in contract["parties"]
    ]
    return {"rates": {name: rate for name, rate in RATES.items() if name != "EUR"}, "rows": rows}


ARTIFACT: Truths = {
    "budget-changes": budget_changes,
    "document-checksums": document_checksums,
    "inventory": inventory,
    "invoice-table": invoice_table,
    "mail-attachments": mail_attachments,
    "photo-log": photo_log,
    "rename-party": rename_party,
    "subtitles": subtitles,
    "swap-channels": swap_channels,
    "video-table": video_table,
    "yearly-cost": yearly_cost,
}
