set -eu
mm find . --kind image --columns path,width,height --format json > /tmp/sizes.json
mm sql "SELECT uri, phash FROM files WHERE phash IS NOT NULL" --pre-index --format json > /tmp/photos.json
python3 - <<'PY'
import json, os

NEAR = 10


def far(one, other):
    return (int(one["phash"], 16) ^ int(other["phash"], 16)).bit_count()


sizes = {
    os.path.abspath(row["path"]): row["width"] * row["height"]
    for row in json.load(open("/tmp/sizes.json", encoding="utf-8"))
}
photos = json.load(open("/tmp/photos.json", encoding="utf-8"))
groups = []
for photo in sorted(photos, key=lambda photo: -sizes[photo["uri"]]):
    for group in groups:
        if far(group[0], photo) <= NEAR:
            group.append(photo)
            break
    else:
        groups.append([photo])
os.mkdir("duplicates")
for best, *others in groups:
    for photo in others:
        os.rename(photo["uri"], os.path.join("duplicates", os.path.basename(photo["uri"])))
        print(f"{os.path.relpath(photo['uri'])} is a copy of {os.path.relpath(best['uri'])}")
PY
