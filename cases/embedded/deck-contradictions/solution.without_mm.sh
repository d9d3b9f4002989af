set -eu
python3 - <<'PY'
import pathlib, posixpath, re, xml.etree.ElementTree as ET, zipfile

A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"


def paragraphs(xml):
    for node in ET.fromstring(xml).iter(f"{A}p"):
        if text := "".join(part.text or "" for part in node.iter(f"{A}t")).strip():
            yield text


def notes_of(archive, name):
    """Return the text of the notes that a slide's relations lead to."""
    folder, _, file = name.rpartition("/")
    links = ET.fromstring(archive.read(f"{folder}/_rels/{file}.rels"))
    for link in links:
        if link.get("Type").endswith("/notesSlide"):
            target = posixpath.normpath(posixpath.join(folder, link.get("Target")))
            return list(paragraphs(archive.read(target)))
    return []


for path in sorted(p for p in pathlib.Path().rglob("*") if p.suffix.lower() == ".pptx"):
    wrong = []
    with zipfile.ZipFile(path) as archive:
        slides = [n for n in archive.namelist() if re.fullmatch(r"ppt/slides/slide\d+\.xml", n)]
        for name in sorted(slides, key=lambda n: int(re.search(r"\d+", n)[0])):
            shown = list(paragraphs(archive.read(name)))
            joined = " ".join(shown)
            total = re.search(r"\bTotal\W+([\d,]+)", joined)
            numbers = re.findall(r"\d[\d,]*\d", " ".join(notes_of(archive, name)))
            if total and numbers and total[1] not in numbers:
                wrong.append(f"{shown[0]}: {total[1]} on the slide, {numbers[0]} in the notes")
    if wrong:
        print(path, *wrong, sep="\n")
PY
