set -eu
mm sql "SELECT kind, COUNT(*) AS n, SUM(duration_s) AS seconds FROM files WHERE kind IN ('audio', 'video') GROUP BY kind" --pre-index --format json > /tmp/media.json
python3 - <<'PY'
import json

for row in json.load(open("/tmp/media.json", encoding="utf-8")):
    print(f"{row['n']} {row['kind']} files, {row['seconds']:.1f} seconds")
PY
