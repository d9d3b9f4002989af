from __future__ import annotations

import threading

import pytest

from mmbench.bench.account import Account, Accounts, Counts
from mmbench.bench.usage import Usage


def test_sums_are_exact_under_many_threads() -> None:
    account = Account()

    def request() -> None:
        for _ in range(200):
            account.begin()
            account.add("bytes_in", 3)
            account.used(Usage(10, 2, model="m"))
            account.end(0.5)

    threads = [threading.Thread(target=request) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert account.settle() == Counts(
        requests=1600,
        prompt_tokens=16000,
        completion_tokens=3200,
        bytes_in=4800,
        seconds=800.0,
        models=("m",),
    )


def test_what_is_under_way_at_the_end_counts_as_cut() -> None:
    account = Account()
    account.begin()
    assert account.settle().cut == 1


def test_an_answer_without_usage_is_unmetered() -> None:
    account = Account()
    account.used(Usage(model="m"))
    account.used(Usage(sound_seconds=2.0))
    counts = account.settle()
    assert (counts.unmetered, counts.sound_seconds) == (1, 2.0)


def test_each_trial_has_one_account_that_ends() -> None:
    accounts = Accounts()
    token = accounts.open("a")
    with pytest.raises(ValueError, match="already open"):
        accounts.open("a")
    assert accounts.find(token) is not None
    assert accounts.open("b") != token
    assert accounts.close("a") == Counts()
    assert accounts.find(token) is None
    assert accounts.open("a") != token
