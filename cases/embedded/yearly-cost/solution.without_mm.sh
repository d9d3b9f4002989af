set -eu
echo 'Which exchange rates to the euro does your bookkeeping use?' > QUESTION.txt
until [ -s ANSWER.txt ]; do sleep 0.2; done
python3 - <<'PY'
import csv, pathlib, re, zipfile, zlib

STRING = re.compile(rb"\(((?:\\.|[^()\\])*)\)\s*Tj")
WORDS = {"kroner": ("NOK", "SEK"), "pounds": ("GBP",), "dollars": ("USD",), "francs": ("CHF",)}


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


answer = open("ANSWER.txt", encoding="utf-8").read()
rates = {"EUR": 1.0}
for rate, word in re.findall(r"([\d.]+) (\w+)", answer):
    rates |= dict.fromkeys(WORDS.get(word, ()), float(rate))
with open("yearly-cost.csv", "w", encoding="utf-8", newline="") as target:
    table = csv.writer(target)
    table.writerow(("file", "price", "currency", "euros"))
    for path in sorted(pathlib.Path().rglob("*")):
        if path.suffix.lower() not in (".pdf", ".docx"):
            continue
        text = docx(path) if path.suffix.lower() == ".docx" else " ".join(strings(path))
        text = " ".join(text.split())
        clause = re.search(r"yearly price is ([A-Z]{3}) ([\d,]+\d)", text)
        if "Halden Logistics AS" in text and clause:
            price = int(clause[2].replace(",", ""))
            table.writerow((path, price, clause[1], round(price / rates[clause[1]])))
print("yearly-cost.csv is written.")
PY
