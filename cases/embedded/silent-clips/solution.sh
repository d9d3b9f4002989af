set -eu
mm find . --kind video --columns path --format json |
  python3 -c 'import json, sys; [print(row["path"], end="\0") for row in json.load(sys.stdin)]' |
  xargs -0 mm peek --format json > /tmp/videos.json
python3 - <<'PY'
import json, os

silent = [v for v in json.load(open("/tmp/videos.json", encoding="utf-8")) if not v["has_audio"]]
print(*sorted(os.path.relpath(video["path"]) for video in silent), sep="\n")
print(f"Together {sum(video['duration_s'] for video in silent):.1f} seconds")
PY
