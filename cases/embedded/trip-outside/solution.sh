set -eu
mm sql "SELECT uri, exif_date, exif_gps FROM files WHERE exif_gps IS NOT NULL" --pre-index --format json > /tmp/placed.json
python3 - <<'PY'
import json, os, re

far = []
for photo in json.load(open("/tmp/placed.json", encoding="utf-8")):
    _, east = map(float, photo["exif_gps"].split(","))
    if east < -9.3:
        far.append((photo["exif_date"], os.path.relpath(photo["uri"])))
print(*(path for _, path in sorted(far)), sep="\n")
print("The first was taken at", re.search(r"\d\d:\d\d(?=:\d\d$)", min(far)[0])[0])
PY
