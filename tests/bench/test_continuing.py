"""What a continued session runs, and that nothing secret is written, with real sessions of a shell agent."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from mmbench import cli, ledger
from tests.support import tiny
from tests.support.tiny import Place

KEY = "zX9-secret-value-42"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    made = tiny.make(tmp_path)
    for name, value in made.environment().items():
        monkeypatch.setenv(name, value)
    return made


def test_a_retry_runs_failed_trials_only_and_keeps_the_attempts(place: Place) -> None:
    place.agent(
        f"echo x >> {place.root}/count\n"
        f'if [ $(wc -l < {place.root}/count) -le 1 ]; then echo "401 Unauthorized: invalid api key" >&2; exit 1; fi\n'
        + tiny.GOOD
    )
    assert cli.main(place.words()) == 1
    first = ledger.load(place.ledger)
    failed = [key for key, trial in first.trials.items() if trial.last and not trial.last.graded]
    assert len(failed) == 1
    assert cli.main(place.words("--rejudge")) == 1
    assert (place.root / "count").read_text().count("x") == 4
    assert cli.main(place.words("--retry")) == 0
    final = ledger.load(place.ledger)
    assert {key: len(trial.attempts) for key, trial in final.trials.items()} == {
        key: 2 if key in failed else 1 for key in final.trials
    }
    assert (place.root / "count").read_text().count("x") == 5
    assert place.ledger.read_bytes().startswith(b'{"kind":"session"')


def test_retry_and_rejudge_exclude_each_other(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(place.words("--retry", "--rejudge")) == 2
    assert "exclude each other" in capsys.readouterr().err


def test_no_secret_of_the_environment_is_written_anywhere(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SERVICE_TOKEN", KEY)
    place.agent(f'echo "heron {KEY} in {place.root}/state"; echo {KEY} >&2; echo {KEY} > out.txt\n')
    assert cli.main(place.words()) == 0
    written = place.ledger.read_text()
    assert KEY not in written
    assert "heron [redacted] in /project/.mmbench" in written
    assert "it holds a secret" in written
    assert not list(place.results.glob("artifacts/**/*out.txt"))
    streams = [gzip.decompress(path.read_bytes()) for path in place.state.glob("streams/*/*.gz")]
    assert len(streams) == 8
    assert not [data for data in streams if KEY.encode() in data]


def test_auto_clean_leaves_records_and_artifacts_only(place: Place) -> None:
    assert cli.main(place.words("--auto-clean", "--keep-sandboxes")) == 0
    assert not list(place.state.glob("streams/*"))
    assert not list(place.state.glob("sandboxes/*"))
    assert len(list(place.results.glob("artifacts/*/*out.txt"))) == 1
    assert ledger.load(place.ledger).finished
