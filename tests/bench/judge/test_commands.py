"""What the judge's commands say while they work."""

from __future__ import annotations

import pytest

from mmbench.bench.judge import commands


def test_a_name_like_markup_is_shown_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    with commands.progress("m on a[/b].json") as tell:
        tell(1, 20)
        tell(2, 20)
        tell(20, 20)
    assert capsys.readouterr().err.splitlines() == ["m on a[/b].json: 2 of 20", "m on a[/b].json: 20 of 20"]
