set -eu
mm find . --no-ignore --columns path,ext,size --format json > /tmp/files.json
mm wc . --format json > /tmp/total.json
python3 - <<'PY'
import collections, csv, json

# Summed over the exact sizes of the listing; the count per kind of the other tool is the cross-check.
count, size = collections.Counter(), collections.Counter()
for row in json.load(open("/tmp/files.json", encoding="utf-8")):
    extension = row["ext"].lower().lstrip(".")
    count[extension] += 1
    size[extension] += row["size"]
total = json.load(open("/tmp/total.json", encoding="utf-8"))
assert (sum(count.values()), sum(size.values())) == (total["files"], total["size"])
with open("inventory.csv", "w", encoding="utf-8", newline="") as target:
    table = csv.writer(target)
    table.writerow(("extension", "files", "bytes"))
    table.writerows((extension, count[extension], amount) for extension, amount in size.most_common())
print(f"inventory.csv lists {len(size)} extensions.")
PY
