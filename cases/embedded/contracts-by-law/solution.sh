set -eu
mm grep "The law of .* applies" . --kind document --format json > /tmp/laws.json
python3 - <<'PY'
import json, os, re

LAWS = ("England and Wales", "Norway")
for law in LAWS:
    os.mkdir(law)
for hit in json.load(open("/tmp/laws.json", encoding="utf-8")):
    clause = re.search(r"The law of (.+?) applies", hit["line"])
    if clause and clause[1] in LAWS and os.path.exists(hit["path"]):
        os.rename(hit["path"], os.path.join(clause[1], os.path.basename(hit["path"])))
        print(f"{hit['path']} -> {clause[1]}")
PY
