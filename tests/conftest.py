"""What all tests share: no test depends on the speed of the machine, on the user's files or on the network."""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("mmbench", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("mmbench")


@pytest.fixture(autouse=True)
def _no_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take keys out of the environment, so that no test can spend or leak them."""
    for name in list(os.environ):
        if name.endswith(("_API_KEY", "_TOKEN", "_SECRET")):
            monkeypatch.delenv(name)
