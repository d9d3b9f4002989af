set -eu
python3 - <<'PY'
import pathlib, struct

def size(data):
    """Return width and height of a JPEG, PNG or lossy WebP image."""
    if data[:8] == b"\x89PNG\r\n\x1a\n":
        return struct.unpack(">II", data[16:24])
    if data[8:16] == b"WEBPVP8 ":
        return tuple(side & 0x3FFF for side in struct.unpack("<HH", data[26:30]))
    at = 2
    while data[at + 1] not in (0xC0, 0xC1, 0xC2):
        at += 2 + struct.unpack(">H", data[at + 2 : at + 4])[0]
    return struct.unpack(">HH", data[at + 5 : at + 9])[::-1]


files = sorted(path for path in pathlib.Path().rglob("*") if path.is_file())
large = [path for path in files if max(size(path.read_bytes())) >= 1200]
print(*large, sep="\n")
print(len(large), "pictures")
PY
