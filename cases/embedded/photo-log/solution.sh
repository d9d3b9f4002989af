set -eu
mm sql "SELECT uri, exif_date FROM files WHERE exif_date IS NOT NULL" --pre-index --format json > /tmp/dated.json
python3 - <<'PY'
import csv, json, os, re

photos = json.load(open("/tmp/dated.json", encoding="utf-8"))
rows = [(os.path.relpath(p["uri"]), re.sub(r"^(\d{4}):(\d\d):", r"\1-\2-", p["exif_date"])) for p in photos]
with open("photos.csv", "w", encoding="utf-8", newline="") as target:
    csv.writer(target).writerows([("file", "taken"), *sorted(rows, key=lambda row: (row[1], row[0]))])
print(f"photos.csv lists {len(rows)} photos.")
PY
