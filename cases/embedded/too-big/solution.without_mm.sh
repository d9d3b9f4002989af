set -eu
echo 'How large may a file be to come along? Is there any kind of file to which that limit does not apply?' > QUESTION.txt
until [ -s ANSWER.txt ]; do sleep 0.2; done
python3 - <<'PY'
import mimetypes, pathlib, re

answer = open("ANSWER.txt", encoding="utf-8").read()
limit = 1000 * int(re.search(r"(\d+) kB", answer)[1])
spared = ("image/",) if "picture" in answer else ()
big = [
    path
    for path in sorted(pathlib.Path().rglob("*"))
    if path.is_file()
    and path.stat().st_size > limit
    and not (mimetypes.guess_type(path.name.lower())[0] or "").startswith(spared)
]
pathlib.Path("Stays behind").mkdir()
for path in big:
    path.rename(pathlib.Path("Stays behind", path.name))
    print(path, "stays behind.")
PY
