set -eu
mm find . --columns path,kind --format json > /tmp/files.json
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

STARTS = {b"\xff\xd8\xff": ("JPEG", (".jpg", ".jpeg")), b"\x89PNG": ("PNG", (".png",))}
for row in json.load(open("/tmp/files.json", encoding="utf-8")):
    path, kind = os.path.normpath(row["path"]), row["kind"]
    data = open(path, "rb").read()
    for start, (form, endings) in STARTS.items():
        if kind == "image" and data.startswith(start):
            if not path.lower().endswith(endings):
                print(f"{path}: it is really a {form}")
            elif form == "JPEG" and b"\xff\xd9" not in data[-64:]:
                print(f"{path}: damaged, it stops before its end")
pdfs = [name for name in sorted(os.listdir()) if name.lower().endswith(".pdf")]
for path, text in read(pdfs).items():
    body = re.sub(r"^.* pages \d+-\d+ of \d+:$|^--- Page \d+ ---$", "", text, flags=re.M).strip()
    named = pathlib.Path(path).stem.lower()
    if "[No extractable text]" not in body and named not in body.lower():
        print(f"{path}: really about: {' '.join(body.split())[:60]}")
PY
