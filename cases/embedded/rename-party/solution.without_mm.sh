set -eu
python3 - <<'PY'
import csv, io, pathlib, re, xml.etree.ElementTree as ET, zipfile

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
OLD, NEW = "Halden Logistics AS", "Halden Group AS"


def paragraphs(root):
    """Yield every paragraph's own text nodes, those of paragraphs inside text boxes apart."""
    for paragraph in root.iter(f"{W}p"):
        nested = {node for inner in paragraph.iter(f"{W}p") if inner is not paragraph for node in inner.iter()}
        yield [node for node in paragraph.iter(f"{W}t") if node not in nested]


def replace(nodes):
    """Put the new name for the old one into a paragraph whose text may be cut anywhere; count how often."""
    done = 0
    while (at := "".join(node.text or "" for node in nodes).find(OLD)) >= 0:
        rest, put = len(OLD), NEW
        for node in nodes:
            text = node.text or ""
            if at >= len(text):
                at -= len(text)
                continue
            taken = min(rest, len(text) - at)
            node.text = text[:at] + put + text[at + taken :]
            node.set("{http://www.w3.org/XML/1998/namespace}space", "preserve")
            at, rest, put = 0, rest - taken, ""
            if not rest:
                break
        done += 1
    return done


def rewrite(path):
    """Replace the name in all text parts of a Word file; return how often it stood there."""
    done, parts = 0, []
    with zipfile.ZipFile(path) as archive:
        for entry in archive.infolist():
            data = archive.read(entry)
            if re.fullmatch(r"word/[^/]+\.xml", entry.filename) and f"{W[1:-1]}".encode() in data:
                for _, space in ET.iterparse(io.BytesIO(data), events=("start-ns",)):
                    ET.register_namespace(*space)
                root = ET.fromstring(data)
                found = sum(replace(nodes) for nodes in paragraphs(root))
                if found:
                    data = ET.tostring(root, encoding="UTF-8", xml_declaration=True)
                    done += found
            parts.append((entry, data))
    if done:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for entry, data in parts:
                archive.writestr(entry, data)
    return done


documents = sorted(str(path) for path in pathlib.Path().rglob("*") if path.suffix.lower() == ".docx")
with open("changes.csv", "w", encoding="utf-8", newline="") as target:
    table = csv.writer(target)
    table.writerow(("file", "replacements"))
    for path in documents:
        if found := rewrite(path):
            table.writerow((path, found))
            print(path, found)
PY
