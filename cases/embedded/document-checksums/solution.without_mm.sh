set -eu
python3 - <<'PY'
import csv, hashlib, pathlib

ENDINGS = (".pdf", ".docx", ".xlsx", ".pptx")
paths = sorted(str(path) for path in pathlib.Path().rglob("*") if path.suffix.lower() in ENDINGS)
with open("documents.csv", "w", encoding="utf-8", newline="") as target:
    table = csv.writer(target)
    table.writerow(("file", "bytes", "sha256"))
    for path in paths:
        data = open(path, "rb").read()
        table.writerow((path, len(data), hashlib.sha256(data).hexdigest()))
print(f"documents.csv lists {len(paths)} documents.")
PY
