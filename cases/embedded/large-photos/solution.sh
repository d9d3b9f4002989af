set -eu
mm find . --kind image --columns path,width,height --sort path --format json > /tmp/images.json
python3 - <<'PY'
import json, os

rows = json.load(open("/tmp/images.json", encoding="utf-8"))
large = [os.path.normpath(row["path"]) for row in rows if max(row["width"] or 0, row["height"] or 0) >= 1200]
print(*large, sep="\n")
print(len(large), "pictures")
PY
