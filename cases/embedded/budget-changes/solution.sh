set -eu
mm find . --kind document --name budget -i --format json --columns path,modified > /tmp/books.json
python3 -c '
import json
for book in sorted(json.load(open("/tmp/books.json", encoding="utf-8")), key=lambda book: book["modified"]):
    print(book["path"], end="\0")' > /tmp/books
xargs -0 mm cat -m accurate --format json < /tmp/books > /tmp/tables.json
python3 - <<'PY'
import csv, json, re


def items(content):
    found, sheet = {}, ""
    for line in content.splitlines():
        if title := re.fullmatch(r"\[(.+)\]", line.strip()):
            sheet = title[1]
        cells = line.split("\t")
        if len(cells) == 3 and cells[2].strip().isdigit() and cells[0] != "Item":
            found[sheet, cells[0]] = int(cells[2])
    return found


content = {book["path"]: book["content"] for book in json.load(open("/tmp/tables.json", encoding="utf-8"))}
order = open("/tmp/books", encoding="utf-8").read().rstrip("\0").split("\0")
old, new = (items(content[path]) for path in order)
with open("budget-changes.csv", "w", encoding="utf-8", newline="") as target:
    table = csv.writer(target)
    table.writerow(("sheet", "item", "change", "old", "new"))
    for key in sorted(old.keys() | new.keys()):
        if old.get(key) != new.get(key):
            change = "added" if key not in old else "removed" if key not in new else "changed"
            table.writerow((*key, change, old.get(key, ""), new.get(key, "")))
print("The later copy is", order[1])
PY
