set -eu
python3 - <<'PY'
import csv, pathlib, re, xml.etree.ElementTree as ET, zipfile

MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
REL = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"


def text(node):
    return "".join(part.text or "" for part in node.iter(f"{MAIN}t"))


def items(path):
    found = {}
    with zipfile.ZipFile(path) as book:
        names = book.namelist()
        shared = []
        if "xl/sharedStrings.xml" in names:
            shared = [text(node) for node in ET.fromstring(book.read("xl/sharedStrings.xml")).iter(f"{MAIN}si")]
        links = {
            node.get("Id"): node.get("Target").removeprefix("/xl/")
            for node in ET.fromstring(book.read("xl/_rels/workbook.xml.rels"))
        }
        for sheet in ET.fromstring(book.read("xl/workbook.xml")).iter(f"{MAIN}sheet"):
            for row in ET.fromstring(book.read("xl/" + links[sheet.get(REL)])).iter(f"{MAIN}row"):
                cells = {}
                for cell in row.iter(f"{MAIN}c"):
                    value = cell.find(f"{MAIN}v")
                    word = text(cell) if value is None else value.text
                    cells[re.match("[A-Z]+", cell.get("r"))[0]] = (
                        shared[int(word)] if cell.get("t") == "s" else word
                    )
                if re.fullmatch(r"\d+(\.0)?", cells.get("C") or "") and cells["A"] != "Item":
                    found[sheet.get("name"), cells["A"]] = int(float(cells["C"]))
    return found


books = sorted(
    (p for p in pathlib.Path().rglob("*") if p.suffix.lower() == ".xlsx" and "budget" in p.name.lower()),
    key=lambda p: p.stat().st_mtime,
)
old, new = map(items, books)
with open("budget-changes.csv", "w", encoding="utf-8", newline="") as target:
    table = csv.writer(target)
    table.writerow(("sheet", "item", "change", "old", "new"))
    for key in sorted(old.keys() | new.keys()):
        if old.get(key) != new.get(key):
            change = "added" if key not in old else "removed" if key not in new else "changed"
            table.writerow((*key, change, old.get(key, ""), new.get(key, "")))
print("The later copy is", books[1])
PY
