set -eu
python3 - <<'PY'
import pathlib, re

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


for path in sorted(pathlib.Path().rglob("*")):
    text = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
    if found := permit(text):
        print(f"Permit {found[0]}, granted on {found[1]} ({path})")
    if found := roof(text):
        print(f"Slate costs {found} kroner more ({path})")
PY
