set -eu
python3 - <<'PY'
import os, pathlib, struct

POINTER, TAKEN, DIGITISED, CHANGED = 0x8769, 0x9003, 0x9004, 0x0132


def exif(data):
    """Return the TIFF structure of a JPEG's Exif segment."""
    at = 2
    while data[at : at + 1] == b"\xff" and data[at + 1] != 0xDA:
        size = struct.unpack(">H", data[at + 2 : at + 4])[0]
        if data[at + 1] == 0xE1 and data[at + 4 : at + 10] == b"Exif\0\0":
            return data[at + 10 : at + 2 + size]
        at += 2 + size
    return None


def entries(tiff, order, offset):
    count = struct.unpack_from(order + "H", tiff, offset)[0]
    for n in range(count):
        tag, kind, number, value = struct.unpack_from(order + "HHII", tiff, offset + 2 + 12 * n)
        yield tag, kind, number, value


def taken(data):
    tiff = exif(data)
    if tiff is None:
        return None
    order = "<" if tiff[:2] == b"II" else ">"
    found = {}
    folders = [struct.unpack_from(order + "I", tiff, 4)[0]]
    for folder in folders:
        for tag, kind, number, value in entries(tiff, order, folder):
            if tag == POINTER:
                folders.append(value)
            elif kind == 2 and tag in (TAKEN, DIGITISED, CHANGED):
                found[tag] = tiff[value : value + number].decode().rstrip("\0 ")
    return found.get(TAKEN) or found.get(DIGITISED) or found.get(CHANGED)


for path in sorted(pathlib.Path().rglob("*")):
    date = taken(path.read_bytes()) if path.is_file() else None
    if date:
        day = date[:10].replace(":", "-")
        os.makedirs(day, exist_ok=True)
        target = pathlib.Path(day, path.name)
        assert not target.exists(), target
        path.rename(target)
        print(f"{path} -> {target}")
PY
