set -eu
python3 - <<'PY'
import json, os, re, subprocess


def read(paths, *options):
    """Return what mm says of each file. A call that fails or leaves files out is repeated in smaller ones."""
    found, size = {}, 8
    while (left := [path for path in paths if path not in found]) and size:
        for at in range(0, len(left), size):
            call = ["mm", "cat", "-y", "--format", "json", *options, *left[at : at + size]]
            out = subprocess.run(call, stdout=subprocess.PIPE).stdout
            found |= {os.path.normpath(file["path"]): file["content"] for file in json.loads(out or b"[]")}
        size //= 2
    return found

def amount(text):
    return int(text.replace(",", ""))


def permit(text):
    number = re.search(r"Permit (\d{4}-\d+)", text)
    day = re.search(r"Granted on (?:<[^>]+>)?(\d+ \w+ \d{4})", text)
    return (number[1], day[1]) if number and day else None


def roof(text):
    slate = re.search(r"[Ss]late is ([\d,]+)", text)
    tiles = re.search(r"tiles are ([\d,]+)", text)
    area = re.search(r"([\d,]+) square metres", text)
    return (amount(slate[1]) - amount(tiles[1])) * amount(area[1]) if slate and tiles and area else None


def search(pattern):
    out = subprocess.run(["mm", "grep", pattern, ".", "--format", "json"], stdout=subprocess.PIPE).stdout
    return sorted({os.path.normpath(hit["path"]) for hit in json.loads(out or b"[]")})


for path, text in read(search("[Gg]ranted")).items():
    if found := permit(text):
        print(f"Permit {found[0]}, granted on {found[1]} ({path})")
for path, text in read(search("[Ss]late")).items():
    if found := roof(text):
        print(f"Slate costs {found} kroner more ({path})")
PY
