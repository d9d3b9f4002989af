"""What the retrieval cases must hold for true."""

from __future__ import annotations

import io
import re
from pathlib import PurePosixPath

import av

from mmbench.bench.fixture import duplicates, media, notes, recordings
from tests.cases.common import Labels, Truth, Truths, below, extension, manifest

FILM_SECONDS = 5.28
"""The real film among the videos, which the dataset takes as it is."""


def contract_indemnity(labels: Labels) -> Truth:
    """Describe the one contract with an indemnification clause."""
    contract = next(c for c in labels["contracts"] if c["path"] == labels["indemnification"])
    others = [party for party in contract["parties"] if party != labels["party"]]
    return {
        "file": below(contract["path"], "Contracts"),
        "party": others[0],
        "notice_days": contract["notice_days"],
        "liability_cap": contract["liability_cap"],
        "currency": contract["currency"],
    }


def who_decided(labels: Labels) -> Truth:
    """Describe the recording in which something is decided."""
    decision = labels["decision"]
    return {
        "file": below(decision["path"], "Recordings"),
        "speaker": decision["speaker"],
        "place": decision["place"],
        "quote": decision["text"],
    }


def container_number(labels: Labels) -> Truth:
    """Describe the photo of the container."""
    container = labels["container"]
    return {"file": below(container["path"], labels["camera_roll_folder"]), "number": container["number"]}


def paper_bleu(labels: Labels) -> Truth:
    """Describe one cell of the long paper's test table, and what stands beside it."""
    test = labels["paper_test_bleu"]
    best, plain = test["Heron-Large"]["Is-En"], test["Plain-Large"]["Is-En"]
    return {
        "file": below(labels["paper"], "Papers"),
        "bleu": best,
        "ahead": round(best - plain, 1),
        "development": labels["paper_dev_bleu"]["Heron-Large"]["Is-En"],
        "replication": labels["short_papers"][0]["results"]["Heron-Large"],
        "thousand_pairs": labels["paper_corpus_thousand_pairs"]["Is-En"],
    }


def deck_contradictions(labels: Labels) -> Truth:
    """List the slides whose notes name another total."""
    return {
        "file": below(labels["deck"], "Presentations"),
        "slides": [row for row in labels["deck_totals"] if row["contradicts"]],
        "others": [row["title"] for row in labels["deck_totals"] if not row["contradicts"]],
    }


def tour_guide(labels: Labels) -> Truth:
    """Describe what the guide of the tour says."""
    path = labels["tour"]["path"]
    text = labels["videos"][path]["text"]
    words = {"four": 4, "nine": 9}
    price = re.search(r"flowers costs (\w+) euros", text)
    age = re.search(r"Her name is (\w+), and she is (\w+) years", text)
    assert price and age
    return {"file": below(path, "Videos"), "euros": words[price[1]], "cat": age[1], "years": words[age[2]]}


def trip_outside(labels: Labels) -> Truth:
    """List the photos of the trip that were taken far out of town."""
    folder = labels["trip_folder"]
    far = sorted(path for path, (_, east) in labels["trip_places"].items() if east < -9.3)
    return {
        "files": [below(path, folder) for path in far],
        "first": min(labels["trip_taken"][path] for path in far),
    }


def silent_clips(labels: Labels) -> Truth:
    """List the videos without sound."""
    silent = {path: video for path, video in labels["videos"].items() if not video["sound"]}
    return {
        "files": sorted(below(path, "Videos") for path in silent),
        "seconds": sum(video["seconds"] for video in silent.values()),
    }


def seconds(clip: str) -> float:
    """Measure one of the vendored sounds."""
    with av.open(io.BytesIO(media.raw(f"speech/{clip}")), "r") as container:
        samples = sum(int(frame.samples) for frame in container.decode(audio=0))
        return samples / int(container.streams.audio[0].codec_context.sample_rate)


def _recordings() -> dict[str, float]:
    found = {}
    for recording in recordings.RECORDINGS:
        form = extension(recording.path)
        found[recording.path] = seconds(f"{recording.clip}.{'flac' if form == 'wav' else form}")
    return found


def long_recordings(_: Labels) -> Truth:
    """List the recordings of more than 25 seconds."""
    long = {path: length for path, length in _recordings().items() if length > 25}
    return {
        "files": sorted(below(path, "Recordings") for path in long),
        "seconds": round(sum(long.values()), 1),
    }


def large_photos(labels: Labels) -> Truth:
    """List the photos of the phone backup with at least 1200 pixels on the longer side."""
    copies = [copy for group in duplicates.GROUPS for copy in group.copies]
    large = [copy.name for copy in copies if max(copy.size) >= 1200]
    assert labels["duplicates_folder"] == duplicates.FOLDER
    return {"files": sorted(large), "count": len(large)}


def broken_downloads(labels: Labels) -> Truth:
    """Tell what is wrong with which download."""
    (corrupt,) = labels["corrupt"]
    misnamed = labels["misnamed"]
    (picture,) = (path for path, what in misnamed.items() if what.startswith("image/"))
    (manual,) = (path for path in misnamed if extension(path) == "pdf")
    return {
        "damaged": below(corrupt, "Downloads"),
        "wrong_ending": below(picture, "Downloads"),
        "format": misnamed[picture],
        "misleading": below(manual, "Downloads"),
        "subject": misnamed[manual],
    }


def note_lines(_: Labels) -> Truth:
    """Count the plain-text notes and their lines in two folders."""
    lines: dict[str, list[int]] = {"Notes": [], "Projects": []}
    for path, text in notes.NOTES:
        top = PurePosixPath(path).parts[0]
        if top in lines and extension(path) in ("md", "txt"):
            lines[top].append(text.count("\n"))
    return {
        "files": sum(map(len, lines.values())),
        "lines": sum(map(sum, lines.values())),
        "longer": max(lines, key=lambda top: sum(lines[top])),
        "by_folder": {top: sum(counts) for top, counts in lines.items()},
    }


def photo_space(_: Labels) -> Truth:
    """Find the folder of photos that takes most space."""
    folders: dict[str, list[int]] = {}
    for entry in manifest():
        parts = PurePosixPath(entry.path).parts
        if parts[0] == "Photos":
            folders.setdefault(parts[1], []).append(entry.size)
    largest = max(folders, key=lambda name: sum(folders[name]))
    return {
        "folder": largest,
        "photos": len(folders[largest]),
        "bytes": sum(folders[largest]),
        "others": sorted(folders.keys() - {largest}),
    }


def media_minutes(labels: Labels) -> Truth:
    """Add up how long all sounds and all videos run."""
    stereo = labels["stereo_swapped"] + labels["stereo_right"]
    tested = [seconds(f"stereo_{number}.flac") for number in range(1, len(stereo) + 1)]
    videos = [video["seconds"] for video in labels["videos"].values()] + [FILM_SECONDS]
    audio = [*_recordings().values(), *tested]
    return {
        "audio_files": len(audio),
        "audio_seconds": round(sum(audio), 1),
        "video_files": len(videos),
        "video_seconds": round(sum(videos), 1),
    }


def roof_cost(labels: Labels) -> Truth:
    """Work out what slate costs more than tiles, and find the permit."""
    text = dict(notes.NOTES)["Projects/Harbour house/notes/ideas/roof.md"]
    slate, tiles, area = (int(number.replace(",", "")) for number in re.findall(r"\d[\d,]*", text))
    return {
        "files": [below(labels["permit"]["path"], "Projects"), "Harbour house/notes/ideas/roof.md"],
        "permit": labels["permit"]["number"],
        "granted": labels["permit"]["granted"],
        "difference": (slate - tiles) * area,
    }


RETRIEVAL: Truths = {
    "broken-downloads": broken_downloads,
    "container-number": container_number,
    "contract-indemnity": contract_indemnity,
    "deck-contradictions": deck_contradictions,
    "large-photos": large_photos,
    "long-recordings": long_recordings,
    "media-minutes": media_minutes,
    "note-lines": note_lines,
    "paper-bleu": paper_bleu,
    "photo-space": photo_space,
    "roof-cost": roof_cost,
    "silent-clips": silent_clips,
    "tour-guide": tour_guide,
    "trip-outside": trip_outside,
    "who-decided": who_decided,
}
