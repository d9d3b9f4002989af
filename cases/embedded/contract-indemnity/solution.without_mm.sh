set -eu
python3 - <<'PY'
import pathlib, re, zipfile, zlib

STRING = re.compile(rb"\(((?:\\.|[^()\\])*)\)\s*Tj")


def pdf(data):
    pieces = []
    for stream in re.findall(rb"stream\r?\n(.*?)\r?\nendstream", data, re.S):
        try:
            stream = zlib.decompressobj().decompress(stream)
        except zlib.error:
            pass
        pieces += [re.sub(rb"\\(.)", rb"\1", piece) for piece in STRING.findall(stream)]
    return b" ".join(pieces).decode("cp1252", "replace")


def docx(path):
    with zipfile.ZipFile(path) as archive:
        xml = archive.read("word/document.xml").decode()
    return re.sub(r"<[^>]+>", "", re.sub(r"</w:p>", " ", xml))


for path in sorted(pathlib.Path().rglob("*")):
    if path.suffix.lower() not in (".pdf", ".docx"):
        continue
    text = pdf(path.read_bytes()) if path.suffix.lower() == ".pdf" else docx(path)
    text = " ".join(text.split())
    if "shall indemnify" not in text:
        continue
    first, second = re.search(
        r"made between (.+?) \(the first party\) and (.+?) \(the second party\)", text
    ).groups()
    party = second if first.startswith("Halden Logistics") else first
    cap = re.search(r"limited to ([A-Z]{3} [\d,]+)", text)[1]
    days = re.search(r"with (\d+) days' notice", text)[1]
    print(f"{path}\nOther party: {party}\nNotice: {days} days\nCap: {cap} a year")
PY
