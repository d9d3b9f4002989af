set -eu
python3 - <<'PY'
import pathlib

def weigh(folder):
    sizes = [path.stat().st_size for path in folder.rglob("*") if path.is_file()]
    return sum(sizes), len(sizes), folder.name


size, files, folder = max(weigh(path) for path in pathlib.Path().iterdir() if path.is_dir())
print(f"{folder}: {files} pictures, {size} bytes")
PY
