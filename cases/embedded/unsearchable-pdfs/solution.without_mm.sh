set -eu
python3 - <<'PY'
import os, pathlib, re, zlib

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


os.mkdir("Needs OCR")
for path in sorted(pathlib.Path().rglob("*")):
    if path.suffix.lower() == ".pdf" and not any(text.strip() for text in strings(path)):
        path.rename(pathlib.Path("Needs OCR", path.name))
        print(path)
PY
