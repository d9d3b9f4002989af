set -eu
mm find . --kind image --columns path --format json > /tmp/images.json
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


def values():
    """Yield the letters' values in ISO 6346: from 10 up, without the multiples of eleven."""
    value = 10
    for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ":
        value += value % 11 == 0
        yield letter, value
        value += 1


LETTERS = dict(values())


def is_valid(number):
    total = sum((LETTERS[c] if c.isalpha() else int(c)) << n for n, c in enumerate(number[:10]))
    return total % 11 % 10 == int(number[10])


photos = [os.path.normpath(row["path"]) for row in json.load(open("/tmp/images.json", encoding="utf-8"))]
# A quick look at all of them, a thorough one at those that show some digits.
quick = read(photos)
likely = [path for path, content in quick.items() if len(re.findall(r"\d", content)) >= 4]
thorough = read(likely, "-m", "accurate", "--no-cache", "--prompt", "Transcribe all text in this image.")
for path, content in thorough.items():
    text = re.sub(r"[^A-Z0-9]", "", content.upper())
    for number in re.findall(r"(?=([A-Z]{3}[UJZ]\d{7}))", text):
        if is_valid(number):
            print(f"{number} in {path}")
PY
