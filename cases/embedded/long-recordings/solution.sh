set -eu
mm find . --kind audio --columns path --format json |
  python3 -c 'import json, sys; [print(row["path"], end="\0") for row in json.load(sys.stdin)]' |
  xargs -0 mm peek --format json > /tmp/sounds.json
python3 - <<'PY'
import json, os

long = [r for r in json.load(open("/tmp/sounds.json", encoding="utf-8")) if r["duration_s"] > 25]
print(*sorted(os.path.relpath(recording["path"]) for recording in long), sep="\n")
print(f"Together {sum(recording['duration_s'] for recording in long):.1f} seconds")
PY
