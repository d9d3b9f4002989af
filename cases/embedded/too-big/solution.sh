set -eu
echo 'How large may a file be to come along? Is there any kind of file to which that limit does not apply?' > QUESTION.txt
until [ -s ANSWER.txt ]; do sleep 0.2; done
mm find . --no-ignore --columns path,kind,size --format json > /tmp/files.json
python3 - <<'PY'
import json, os, re

answer = open("ANSWER.txt", encoding="utf-8").read()
limit = 1000 * int(re.search(r"(\d+) kB", answer)[1])
spared = {"image"} if "picture" in answer else set()
os.mkdir("Stays behind")
for file in json.load(open("/tmp/files.json", encoding="utf-8")):
    if file["size"] > limit and file["kind"] not in spared:
        os.rename(file["path"], os.path.join("Stays behind", os.path.basename(file["path"])))
        print(file["path"], "stays behind.")
PY
