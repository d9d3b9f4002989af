set -eu
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

def weight(path):
    """Return about how much text there is to read in a file."""
    out = subprocess.run(["mm", "wc", path, "--format", "json"], stdout=subprocess.PIPE, check=True)
    return json.loads(out.stdout)["tokens (est.)"]


rows = json.load(open("/tmp/pdfs.json", encoding="utf-8"))
paths = [os.path.normpath(row["path"]) for row in rows if row["ext"].lower() == ".pdf"]
light = [path for path in paths if weight(path) < 60]
os.mkdir("Needs OCR")
for path, text in read(light).items():
    pages = re.findall(r"^--- Page \d+ ---\n(.*)$", text, re.M)
    if pages and all(page.strip() == "[No extractable text]" for page in pages):
        os.rename(path, os.path.join("Needs OCR", os.path.basename(path)))
        print(path)
PY
