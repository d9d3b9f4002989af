set -eu
mm wc . --kind document --format json
mm find . --kind document --columns path,ext --sort path --format json > /tmp/pdfs.json
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

rows = json.load(open("/tmp/pdfs.json", encoding="utf-8"))
paths = [os.path.normpath(row["path"]) for row in rows if row["ext"].lower() == ".pdf"]
os.mkdir("Needs OCR")
for path, text in read(paths).items():
    pages = re.findall(r"^--- Page \d+ ---\n(.*)$", text, re.M)
    if all(page.strip() == "[No extractable text]" for page in pages):
        os.rename(path, os.path.join("Needs OCR", os.path.basename(path)))
        print(path)
PY
