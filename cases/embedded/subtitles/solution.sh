set -eu
mm find . --kind video --columns path --format json > /tmp/videos.json
python3 - <<'PY'
import json, os, re, subprocess


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

def stamp(seconds):
    ms = round(float(seconds) * 1000)
    return f"{ms // 3600000:02}:{ms // 60000 % 60:02}:{ms // 1000 % 60:02},{ms % 1000:03}"


videos = [os.path.normpath(row["path"]) for row in json.load(open("/tmp/videos.json", encoding="utf-8"))]
clips = [path for path in videos if path.lower().endswith(".mp4")]
for path, text in read(clips, "-p", "transcript").items():
    if "pump" not in text.lower():
        continue
    lines = re.findall(r"\[([\d.]+)s - ([\d.]+)s\]\s*(.+)", text)
    with open(os.path.splitext(path)[0] + ".srt", "w", encoding="utf-8") as target:
        for number, (start, end, words) in enumerate(lines, 1):
            target.write(f"{number}\n{stamp(start)} --> {stamp(end)}\n{words.strip()}\n\n")
    print(f"{len(lines)} subtitles for {path}")
PY
