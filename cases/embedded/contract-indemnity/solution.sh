set -eu
# The clause: somebody "shall indemnify"; the folder has drafts whose names only say so.
file=$(mm grep -i 'shall indemnify' . --format json |
  python3 -c 'import json, sys; print(*sorted({hit["path"] for hit in json.load(sys.stdin)}), sep="\n")')
mm cat "$file" > /tmp/contract.txt
python3 - "$file" <<'PY'
import re, sys

text = " ".join(open("/tmp/contract.txt", encoding="utf-8").read().split())
first, second = re.search(
    r"made between (.+?) \(the first party\) and (.+?) \(the second party\)", text
).groups()
party = second if first.startswith("Halden Logistics") else first
cap = re.search(r"limited to ([A-Z]{3} [\d,]+)", text)[1]
days = re.search(r"with (\d+) days' notice", text)[1]
print(f"{sys.argv[1]}\nOther party: {party}\nNotice: {days} days\nCap: {cap} a year")
PY
