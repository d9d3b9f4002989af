set -eu
python3 - <<'PY'
import pathlib, re, struct

def taken(data):
    """Return the capture time in the Exif data of a HEIC file: the latest ASCII date of a known tag."""
    tiff = data[re.search(rb"Exif\0\0(?=II|MM)", data).end() :]
    order = "<" if tiff[:2] == b"II" else ">"
    found, folders = {}, [struct.unpack_from(order + "I", tiff, 4)[0]]
    for folder in folders:
        for n in range(struct.unpack_from(order + "H", tiff, folder)[0]):
            tag, kind, count, value = struct.unpack_from(order + "HHII", tiff, folder + 2 + 12 * n)
            if tag == 0x8769:
                folders.append(value)
            elif kind == 2 and tag in (0x9003, 0x9004, 0x0132):
                found[tag] = tiff[value : value + count].decode().rstrip("\0 ")
    return found.get(0x9003) or found.get(0x9004) or found[0x0132]


folder = pathlib.Path("2023/Søndre coast")
photos = sorted((taken(path.read_bytes()), path) for path in folder.glob("*.HEIC"))
for number, (_, path) in enumerate(photos, 1):
    path.rename(folder / f"vacation_{number:03}.heic")
    print(path.name, "->", f"vacation_{number:03}.heic")
PY
