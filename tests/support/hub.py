"""A loopback hub that serves one dataset, and can cut, refuse, be busy, or send other bytes."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from dataclasses import dataclass, field
from urllib.parse import unquote

from tests.support.upstream import Asked, Reply, Upstream

COMMIT = "0123456789abcdef0123456789abcdef01234567"


def git_sha1(data: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()


@dataclass
class Hub:
    """The dataset, and what goes wrong; counts of requests that are left to go wrong fall to 0."""

    repo: str
    files: dict[str, bytes]
    large: int = 1000
    """Files from this size are told by their SHA-256, smaller ones by git's SHA-1."""
    revisions: tuple[str, ...] = ("main", "v1")
    commit: str = COMMIT
    token: str | None = None
    gated: bool = False
    busy: int = 0
    cuts: int = 0
    corrupt: Counter[str] = field(default_factory=Counter)
    extra: dict[str, int] = field(default_factory=dict)
    """Names that the listing holds beside the files, with their sizes."""

    def serve(self) -> Upstream:
        """Return the server, not started."""
        return Upstream(self.reply)

    def reply(self, asked: Asked) -> Reply:
        """Answer one request."""
        path = unquote(asked.path.partition("?")[0])
        if (refusal := self._refusal(asked)) is not None:
            return refusal
        if path.startswith(f"/api/datasets/{self.repo}/revision/"):
            return self._listing(path.rpartition("/revision/")[2])
        place = f"/datasets/{self.repo}/resolve/{self.commit}/"
        name = path.removeprefix(place)
        if not path.startswith(place):
            return self._error(404, "RepoNotFound")
        return self._file(asked, name) if name in self.files else self._error(404, "EntryNotFound")

    def _refusal(self, asked: Asked) -> Reply | None:
        if self.busy > 0:
            self.busy -= 1
            return Reply(429, b"{}", {"retry-after": "0"})
        given = asked.headers.get("authorization", "").removeprefix("Bearer ")
        if self.token is not None and given != self.token:
            return self._error(403, "GatedRepo") if self.gated else self._error(401, "RepoNotFound")
        return None

    @staticmethod
    def _error(status: int, code: str) -> Reply:
        return Reply(status, b"{}", {"x-error-code": code, "x-error-message": "no"})

    def _listing(self, revision: str) -> Reply:
        if revision not in (*self.revisions, self.commit):
            return self._error(404, "RevisionNotFound")
        siblings = [self._sibling(name, data) for name, data in self.files.items()]
        siblings += [{"rfilename": n, "size": s, "blobId": "0" * 40} for n, s in self.extra.items()]
        return Reply(200, json.dumps({"id": self.repo, "sha": self.commit, "siblings": siblings}).encode())

    def _sibling(self, name: str, data: bytes) -> dict[str, object]:
        known = {"rfilename": name, "size": len(data), "blobId": git_sha1(data)}
        if len(data) < self.large:
            return known
        return known | {
            "lfs": {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data), "pointerSize": 130}
        }

    def _file(self, asked: Asked, name: str) -> Reply:
        data = self.files[name]
        tag = hashlib.sha256(data).hexdigest() if len(data) >= self.large else git_sha1(data)
        headers = {
            "etag": f'"{tag}"',
            "x-repo-commit": self.commit,
            "content-type": "application/octet-stream",
            "accept-ranges": "bytes",
        }
        if asked.method == "GET" and self.corrupt[name] > 0:
            self.corrupt[name] -= 1
            data = bytes(byte ^ 1 for byte in data)
        wanted = asked.headers.get("range", "")
        start = int(wanted.removeprefix("bytes=").partition("-")[0]) if wanted else 0
        if start:
            headers["content-range"] = f"bytes {start}-{len(data) - 1}/{len(data)}"
        rest = data[start:]
        if asked.method == "GET" and self.cuts > 0 and len(rest) > 4000:
            self.cuts -= 1
            headers["content-length"] = str(len(rest))
            return Reply(206 if start else 200, rest[: len(rest) // 2], headers, hang_up=True)
        return Reply(206 if start else 200, rest, headers)
