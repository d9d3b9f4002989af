set -eu
python3 - <<'PY'
import csv, email, email.policy, os, pathlib
from datetime import timezone

found = {}
for path in pathlib.Path().rglob("*"):
    if path.suffix.lower() != ".eml":
        continue
    mail = email.message_from_bytes(path.read_bytes(), policy=email.policy.default)
    sent = mail["Date"].datetime.astimezone(timezone.utc)
    for part in mail.iter_attachments():
        name = part.get_filename()
        if name not in found or found[name][0] < sent:
            found[name] = sent, mail, part.get_payload(decode=True)
os.mkdir("Attachments")
with open("attachments.csv", "w", encoding="utf-8", newline="") as target:
    table = csv.writer(target)
    table.writerow(("file", "from", "subject", "bytes"))
    for name, (sent, mail, data) in sorted(found.items()):
        saved = f"{sent:%Y-%m-%d} {name}"
        pathlib.Path("Attachments", saved).write_bytes(data)
        table.writerow((saved, mail["From"].addresses[0].display_name, mail["Subject"], len(data)))
print(len(found), "attachments are saved.")
PY
