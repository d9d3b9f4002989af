"""The embedded mm backend: real OCR and speech-to-text on loopback, with no account and no network.

`serve` starts it as a child process and stops it; `find_weights` says where its speech
model comes from. What it cannot do is describe what a picture shows: it reads.
"""

from __future__ import annotations

from mmbench.bench.local.process import MODEL, LocalServer, serve
from mmbench.bench.local.weights import WHISPER_BASE, Missing, Weights, find_weights

__all__ = ["MODEL", "WHISPER_BASE", "LocalServer", "Missing", "Weights", "find_weights", "serve"]
