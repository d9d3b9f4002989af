set -eu
mm peek "2023/Søndre coast"/*.HEIC --format json > /tmp/photos.json
python3 - <<'PY'
import json, os

photos = json.load(open("/tmp/photos.json", encoding="utf-8"))
for number, photo in enumerate(sorted(photos, key=lambda photo: photo["exif_date"]), 1):
    target = os.path.join(os.path.dirname(photo["path"]), f"vacation_{number:03}.heic")
    assert not os.path.exists(target), target
    os.rename(photo["path"], target)
    print(photo["name"], "->", os.path.basename(target))
PY
