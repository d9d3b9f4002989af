set -eu
cat README.txt
mm peek *.wav --format json > /tmp/sounds.json
python3 - <<'PY'
import array, json, os

sounds = json.load(open("/tmp/sounds.json", encoding="utf-8"))
assert {sound["audio_codec"] for sound in sounds} == {"pcm"}
clips = sorted(os.path.relpath(sound["path"]) for sound in sounds)


def steadiness(samples):
    """Return how evenly loud a channel is: the spread of its level over its mean, small for a tone."""
    step = 800
    levels = [sum(map(abs, samples[at : at + step])) for at in range(0, len(samples) - step, step)]
    mean = sum(levels) / len(levels)
    return (sum((level - mean) ** 2 for level in levels) / len(levels)) ** 0.5 / mean


for path in clips:
    data = bytearray(open(path, "rb").read())
    at = data.index(b"data") + 8
    samples = array.array("h", bytes(data[at:]))
    left, right = samples[0::2], samples[1::2]
    if steadiness(left) < steadiness(right):  # the tone belongs on the right
        samples[0::2], samples[1::2] = right, left
        data[at:] = samples.tobytes()
        open(path, "wb").write(data)
        print("swapped", path)
PY
