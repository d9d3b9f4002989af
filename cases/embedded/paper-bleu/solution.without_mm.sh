set -eu
python3 - <<'PY'
import pathlib, re, zlib

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

def figures(lines):
    """Return the test BLEU by model and the training pairs by language pair."""
    table, found = [], {}
    for line in lines:
        if caption := re.match(r"Table \d+: (.+)", line):
            found[caption[1]] = table
            table = []
        table.append(line.split())
    rows = next(rows for caption, rows in found.items() if caption.startswith("BLEU on the test"))
    head = next(row for row in rows if row[0] == "Model")
    column = head.index("Is-En")
    bleu = {row[0]: float(row[column]) for row in rows if len(row) == len(head) and row is not head}
    rows = next(rows for caption, rows in found.items() if caption.startswith("Corpora"))
    pairs = {row[0]: row[1] for row in rows if re.fullmatch(r"[A-Z][a-z]-[A-Z][a-z]", row[0])}
    return bleu, pairs["Is-En"]


def lines(path):
    """Put the cells of a row together again: strings at one height."""
    for stream in re.findall(rb"stream\r?\n(.*?)\r?\nendstream", path.read_bytes(), re.S):
        try:
            stream = zlib.decompressobj().decompress(stream)
        except zlib.error:
            continue
        rows = {}
        for x, y, text in re.findall(rb"BT ([\d.]+) ([\d.]+) Td.*?\(((?:\\.|[^()\\])*)\)\s*Tj", stream):
            rows.setdefault(float(y), []).append((float(x), text.decode("cp1252")))
        for _, cells in sorted(rows.items(), reverse=True):
            yield " ".join(text.strip() for _, text in sorted(cells) if text.strip())


papers = {
    path: [line for line in lines(path) if line]
    for path in pathlib.Path().rglob("*")
    if path.suffix.lower() == ".pdf"
}
path = max(papers, key=lambda path: len(papers[path]) if "gate" in " ".join(papers[path]) else 0)
bleu, pairs = figures(papers[path])
print(f"{bleu['Heron-Large']}\n{bleu['Heron-Large'] - bleu['Plain-Large']:.1f}\n{pairs}\n{path}")
PY
