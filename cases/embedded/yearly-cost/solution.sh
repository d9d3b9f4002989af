set -eu
echo 'Which exchange rates to the euro does your bookkeeping use?' > QUESTION.txt
until [ -s ANSWER.txt ]; do sleep 0.2; done
mm grep "Halden Logistics AS" . --kind document --format json > /tmp/ours.json
mm grep "The yearly price is" . --kind document --format json > /tmp/prices.json
python3 - <<'PY'
import csv, json, re

WORDS = {"kroner": ("NOK", "SEK"), "pounds": ("GBP",), "dollars": ("USD",), "francs": ("CHF",)}
answer = open("ANSWER.txt", encoding="utf-8").read()
rates = {"EUR": 1.0}
for rate, word in re.findall(r"([\d.]+) (\w+)", answer):
    rates |= dict.fromkeys(WORDS.get(word, ()), float(rate))
ours = {hit["path"] for hit in json.load(open("/tmp/ours.json", encoding="utf-8"))}
with open("yearly-cost.csv", "w", encoding="utf-8", newline="") as target:
    table = csv.writer(target)
    table.writerow(("file", "price", "currency", "euros"))
    for hit in json.load(open("/tmp/prices.json", encoding="utf-8")):
        clause = re.search(r"price is ([A-Z]{3}) ([\d,]+\d)", hit["line"])
        if hit["path"] in ours and clause:
            price = int(clause[2].replace(",", ""))
            table.writerow((hit["path"], price, clause[1], round(price / rates[clause[1]])))
print("yearly-cost.csv is written.")
PY
