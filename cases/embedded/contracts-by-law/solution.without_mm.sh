set -eu
python3 - <<'PY'
import os, pathlib, re, zipfile, zlib

STRING = re.compile(rb"\(((?:\\.|[^()\\])*)\)\s*Tj")


def strings(path):
    """Yield the strings that a PDF with plain fonts shows, in order."""
    for stream in re.findall(rb"stream\r?\n(.*?)\r?\nendstream", path.read_bytes(), re.S):
        try:
            stream = zlib.decompressobj().decompress(stream)
        except zlib.error:
            continue
        for text in STRING.findall(stream):
            yield re.sub(rb"\\(.)", rb"\1", text).decode("cp1252", "replace")


def docx(path):
    with zipfile.ZipFile(path) as archive:
        xml = archive.read("word/document.xml").decode()
    return re.sub(r"<[^>]+>", "", re.sub(r"</w:p>", " ", xml))


LAWS = ("England and Wales", "Norway")
for path in sorted(pathlib.Path().rglob("*")):
    if path.suffix.lower() not in (".pdf", ".docx"):
        continue
    text = docx(path) if path.suffix.lower() == ".docx" else " ".join(strings(path))
    clause = re.search(r"The law of (.+?) applies", " ".join(text.split()))
    if clause and clause[1] in LAWS:
        os.makedirs(clause[1], exist_ok=True)
        path.rename(pathlib.Path(clause[1], path.name))
        print(f"{path} -> {clause[1]}")
PY
