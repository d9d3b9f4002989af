"""What the organization cases must hold for true."""

from __future__ import annotations

from tests.cases.common import Labels, Truth, Truths, below, kind, manifest

LAWS = ("England and Wales", "Norway")
PHONE_BYTES = 250_000
"""What the user answers when asked: larger files do not fit, pictures aside."""


def trip_days(labels: Labels) -> Truth:
    """Sort the dated photos of the trip into one folder a day."""
    folder = labels["trip_folder"]
    folders: dict[str, list[str]] = {}
    for path, day in labels["trip_days"].items():
        folders.setdefault(day, []).append(below(path, folder))
    return {
        "folders": {day: sorted(paths) for day, paths in sorted(folders.items())},
        "undated": sorted(below(path, folder) for path in labels["trip_undated"]),
    }


def floor_plans(labels: Labels) -> Truth:
    """Tell the floor plans from the other drawings."""
    plans = labels["floor_plans"]
    return {
        "folders": {"Floor plans": sorted(plans)},
        "others": sorted(path for path in labels["drawings"] if path not in plans),
    }


def vacation_rename(labels: Labels) -> Truth:
    """Number the photos of the vacation in capture order."""
    folder = labels["vacation_folder"]
    order = [below(photo["path"], folder) for photo in labels["vacation_order"]]
    return {"names": {f"vacation_{n:03}.heic": path for n, path in enumerate(order, 1)}}


def near_duplicates(labels: Labels) -> Truth:
    """Tell the best copy of every photo from its lesser ones."""
    folder = labels["duplicates_folder"]
    groups = labels["duplicate_groups"]
    return {
        "folders": {"duplicates": sorted(below(path, folder) for g in groups for path in g["others"])},
        "kept": sorted(below(group["best"], folder) for group in groups),
        "singles": sorted(below(path, folder) for path in labels["duplicate_singles"]),
    }


def unsearchable_pdfs(labels: Labels) -> Truth:
    """List the PDFs that hold pictures of pages and no text."""
    scanned = [i["path"] for i in labels["invoices"] if i["form"] == "scanned_pdf"]
    scanned += [i["path"] for i in labels["invoice_look_alikes"] if "/scan" in i["path"]]
    scanned += [path for path in labels["scans"] if path.endswith(".pdf")]
    scanned += [path for path in labels["floor_plans"] if path.endswith(".pdf")]
    return {"folders": {"Needs OCR": sorted(scanned)}}


def contracts_by_law(labels: Labels) -> Truth:
    """Sort the contracts under two laws."""
    return {
        "folders": {
            law: sorted(below(c["path"], "Contracts") for c in labels["contracts"] if c["law"] == law)
            for law in LAWS
        },
        "others": sorted(below(c["path"], "Contracts") for c in labels["contracts"] if c["law"] not in LAWS),
    }


def too_big(labels: Labels) -> Truth:
    """Tell the large files from the others, and from the pictures, which come along."""
    large = [entry.path for entry in manifest() if entry.size > PHONE_BYTES]
    pictures = sorted(path for path in large if kind(path) == "picture")
    return {
        "limit_bytes": PHONE_BYTES,
        "folders": {"Stays behind": sorted(set(large) - set(pictures))},
        "large_pictures": pictures,
    }


ORGANIZATION: Truths = {
    "contracts-by-law": contracts_by_law,
    "floor-plans": floor_plans,
    "near-duplicates": near_duplicates,
    "too-big": too_big,
    "trip-days": trip_days,
    "unsearchable-pdfs": unsearchable_pdfs,
    "vacation-rename": vacation_rename,
}
