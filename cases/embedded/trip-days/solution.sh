set -eu
mm sql "SELECT uri, exif_date FROM files WHERE exif_date IS NOT NULL" --pre-index --format json > /tmp/dated.json
python3 - <<'PY'
import json, os, re

for photo in json.load(open("/tmp/dated.json", encoding="utf-8")):
    day = "-".join(re.match(r"(\d{4})[:-](\d\d)[:-](\d\d)", photo["exif_date"]).groups())
    os.makedirs(day, exist_ok=True)
    target = os.path.join(day, os.path.basename(photo["uri"]))
    assert not os.path.exists(target), target
    os.rename(photo["uri"], target)
    print(f"{os.path.relpath(photo['uri'])} -> {target}")
PY
