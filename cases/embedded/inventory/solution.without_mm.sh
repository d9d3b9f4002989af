set -eu
python3 - <<'PY'
import collections, csv, pathlib

count, size = collections.Counter(), collections.Counter()
for path in pathlib.Path().rglob("*"):
    if path.is_file():
        extension = path.suffix.lower().lstrip(".")
        count[extension] += 1
        size[extension] += path.stat().st_size
with open("inventory.csv", "w", encoding="utf-8", newline="") as target:
    table = csv.writer(target)
    table.writerow(("extension", "files", "bytes"))
    table.writerows((extension, count[extension], amount) for extension, amount in size.most_common())
print(f"inventory.csv lists {len(size)} extensions.")
PY
