"""Check the times of the subtitles: well formed, in order, inside the clip, and over most of what is said."""

import json
import re
import sys
from pathlib import Path

MAX_BYTES = 100_000
CUE = re.compile(r"(\d+):(\d\d):(\d\d)[,.](\d{3})\s*-->\s*(\d+):(\d\d):(\d\d)[,.](\d{3})")


def seconds(hours: str, minutes: str, rest: str, milliseconds: str) -> float:
    """Turn the parts of a time into seconds."""
    return int(hours) * 3600 + int(minutes) * 60 + int(rest) + int(milliseconds) / 1000


def cues(text: str) -> list[tuple[float, float]]:
    """Return start and end of every cue."""
    return [(seconds(*match.groups()[:4]), seconds(*match.groups()[4:])) for match in CUE.finditer(text)]


def judge(path: Path, length: float) -> tuple[float, list[str]]:
    """Return the share of the four rules that hold, with what is broken."""
    if path.is_symlink() or not path.is_file() or path.stat().st_size > MAX_BYTES:
        return 0.0, ["There is no subtitle file of a sensible size."]
    found = cues(path.read_text(encoding="utf-8", errors="replace"))
    if len(found) < 3:
        return 0.0, [f"There are {len(found)} subtitles with times; at least 3 are expected."]
    rules = {
        "every subtitle ends after it begins": all(start < end for start, end in found),
        "they are in order": found == sorted(found),
        "they lie inside the clip": all(start >= 0 and end <= length + 2 for start, end in found),
        "they begin and end with the talk": found[0][0] <= 3 and found[-1][1] >= 0.6 * length,
    }
    broken = [f"Not so: {rule}." for rule, holds in rules.items() if not holds]
    return 1 - len(broken) / len(rules), broken or [f"The times of {len(found)} subtitles are sound."]


request = json.load(sys.stdin)
truth = request["truth"]
score, reasons = judge(Path(request["tree"], Path(truth["file"]).with_suffix(".srt")), truth["seconds"])
print(json.dumps({"score": score, "reasons": reasons}))
