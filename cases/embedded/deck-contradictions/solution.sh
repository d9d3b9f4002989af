set -eu
python3 - <<'PY'
import json, os, pathlib, re, subprocess


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

decks = sorted(str(path) for path in pathlib.Path().rglob("*") if path.suffix.lower() == ".pptx")
for path, text in read(decks).items():
    wrong = []
    for slide in re.split(r"^## Slide \d+: ", text, flags=re.M)[1:]:
        title, _, body = slide.partition("\n")
        shown, _, notes = body.partition("### Notes")
        total = re.search(r"\bTotal ([\d,]+)", shown)
        # mm repeats the slide's table after the notes, with bars between its cells.
        said = [line for line in notes.splitlines() if line.strip("- ") and "|" not in line]
        numbers = re.findall(r"\d[\d,]*\d", " ".join(said))
        if total and numbers and total[1] not in numbers:
            wrong.append(f"{title}: {total[1]} on the slide, {numbers[0]} in the notes")
    if wrong:
        print(path, *wrong, sep="\n")
PY
