set -eu
python3 - <<'PY'
import csv, json, os, pathlib, re, subprocess
from datetime import datetime


def read(paths, *options):
    """Return what mm says of each file. A call that fails or leaves files out is repeated in smaller ones."""
    found, size = {}, 8
    while (left := [path for path in paths if path not in found]) and size:
        for at in range(0, len(left), size):
            call = ["mm", "cat", "-y", "--format", "json", *options, *left[at : at + size]]
            out = subprocess.run(call, stdout=subprocess.PIPE).stdout
            found |= {os.path.normpath(file["path"]): file["content"] for file in json.loads(out or b"[]")}
        size //= 2
    return found


THOROUGH = ("-m", "accurate", "--no-cache", "--encode.strategy_opts", "max_width=1600")
paths = [path for path in sorted(pathlib.Path().rglob("*")) if path.is_file()]
documents = [str(path) for path in paths if path.suffix.lower() == ".pdf"]
photos = [str(path) for path in paths if path.suffix.lower() in (".jpg", ".jpeg", ".png")]
texts = read(documents)
scans = [path for path, content in texts.items() if "[No extractable text]" in content]
texts |= read(scans, "-p", "rasterize", *THOROUGH)
texts |= read(photos, *THOROUGH)

MONTH = "January|February|March|April|May|June|July|August|September|October|November|December"
DATE = re.compile(rf"\b(\d{{4}}-\d\d-\d\d|\d\d\.\d\d\.\d{{4}}|\d{{1,2}} (?:{MONTH}) \d{{4}})\b")
NUMBER = re.compile(r"\b[A-Z]{1,3}[ /-][\dA-Z/-]*\d[\dA-Z/-]*\b|\b\d{4}-\d{4}\b")
LABELS = re.compile(r"^(?:INVOICE|Invoice|Rechnung|Bill to:.*|No\.|Date|Number:?.*)$|\.$", re.I)


def amount(text):
    if re.search(r",\d\d$", text):
        text = text.replace(".", "").replace(",", ".")
    return f"{float(text.replace(',', '')):.2f}"


def day(text):
    for form in ("%Y-%m-%d", "%d.%m.%Y", "%d %B %Y"):
        try:
            return datetime.strptime(text, form).date().isoformat()
        except ValueError:
            continue
    raise SystemExit(f"not a date: {text}")


def vendor(lines):
    """Return the first line that is neither label nor figure nor address, up to the address and after all."""
    at = next((n for n, line in enumerate(lines) if line.startswith("Bill to")), len(lines))
    for line in (*lines[:at], lines[-1]):
        name = re.sub(r"^(?:Invoice|No\.|Date)\s{2,}", "", line).strip()
        if not LABELS.search(name) and not re.search(r"\d", name):
            return name
    raise SystemExit(f"no vendor: {lines}")


rows = []
for path, content in texts.items():
    body = re.sub(r"\A.*\bpages \d+-\d+ of .*\n", "", content)
    lines = [line.strip() for line in body.splitlines() if line.strip() and not line.startswith("---")]
    text = "\n".join(lines)
    label = re.search(r"TOTAL ([A-Z]{3})\b", text)
    if not label:
        continue
    # On photos the amount may stand a little above its label.
    total = re.match(r"\s+([\d.,]+\d)$", text[label.end() :], re.M)
    total = total[1] if total else re.findall(r"^[\d.,]+\d$", text[: label.start()], re.M)[-1]
    head = re.sub(r"^Bill to:.*\n.*\n.*\n.*$", "", text, flags=re.M)
    number = NUMBER.search(DATE.sub(" ", head))[0]
    rows.append((path, vendor(lines), number, day(DATE.search(text)[1]), label[1], amount(total)))
with open("invoices.csv", "w", encoding="utf-8", newline="") as target:
    csv.writer(target).writerows([("file", "vendor", "number", "date", "currency", "total"), *sorted(rows)])
print(f"invoices.csv holds {len(rows)} invoices.")
PY
