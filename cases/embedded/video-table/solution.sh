set -eu
mm find . --kind video --columns path --format json |
  python3 -c 'import json, sys; [print(row["path"], end="\0") for row in json.load(sys.stdin)]' |
  xargs -0 mm peek --format json > /tmp/videos.json
python3 - <<'PY'
import csv, json, os

videos = json.load(open("/tmp/videos.json", encoding="utf-8"))
with open("videos.csv", "w", encoding="utf-8", newline="") as target:
    table = csv.writer(target)
    table.writerow(("file", "seconds", "width", "height", "sound"))
    for video in sorted(videos, key=lambda video: -video["duration_s"]):
        width, height = video["dimensions"].split("x")
        sound = "yes" if video["has_audio"] else "no"
        table.writerow((os.path.relpath(video["path"]), f"{video['duration_s']:.1f}", width, height, sound))
print(f"videos.csv lists {len(videos)} videos.")
PY
