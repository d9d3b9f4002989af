set -eu
python3 - <<'PY'
import json, subprocess

def count(folder):
    out = subprocess.run(
        ["mm", "wc", folder, "--kind", "text", "--format", "json"], stdout=subprocess.PIPE, check=True
    )
    found = json.loads(out.stdout)
    return found["files"], found["lines (est.)"]


both = [count(folder) for folder in ("Notes", "Projects")]
print(sum(files for files, _ in both), "files")
print(sum(lines for _, lines in both), "lines")
print(max(lines for _, lines in both), "of them in the larger folder")
PY
