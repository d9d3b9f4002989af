"""The meter's books: one account per trial, reached by a token nobody can guess."""

from __future__ import annotations

import secrets
import threading
from collections import Counter
from dataclasses import dataclass, field

from mmbench.bench.usage import Usage

_GRACE = 1.0


@dataclass(frozen=True, slots=True)
class Counts:
    """What one trial's mm calls cost.

    `errors` counts failed requests by their status or by the kind of broken connection;
    `other_hosts` among them are calls that tried to go past the meter. Tokens are a lower
    bound when `unmetered` (answers without usage) or `cut` (broken off) is not 0. Bytes are
    those of bodies, in from mm and out to mm; seconds are summed over requests.
    """

    requests: int = 0
    errors: dict[str, int] = field(default_factory=dict)
    prompt_tokens: int = 0
    completion_tokens: int = 0
    unmetered: int = 0
    cut: int = 0
    sound_seconds: float = 0.0
    bytes_in: int = 0
    bytes_out: int = 0
    seconds: float = 0.0
    models: tuple[str, ...] = ()


class Account:
    """The running counts of one trial; requests of several threads add to it."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._under_way = 0
        self._sums: Counter[str] = Counter()
        self._errors: Counter[str] = Counter()
        self._seconds = self._sound_seconds = 0.0
        self._models: set[str] = set()

    def begin(self) -> None:
        """Count a request that starts."""
        with self._changed:
            self._under_way += 1
            self._sums["requests"] += 1

    def end(self, seconds: float) -> None:
        """Count the time of a request that ends, in whatever way."""
        with self._changed:
            self._under_way -= 1
            self._seconds += seconds
            self._changed.notify_all()

    def add(self, name: str, amount: int = 1) -> None:
        """Add to one of the plain sums of Counts."""
        with self._changed:
            self._sums[name] += amount

    def error(self, kind: str) -> None:
        """Count a failed request by its kind."""
        with self._changed:
            self._errors[kind] += 1

    def used(self, usage: Usage) -> None:
        """Add what an answer reported of itself."""
        with self._changed:
            self._sums["unmetered"] += not usage.known
            self._sums["prompt_tokens"] += usage.prompt_tokens or 0
            self._sums["completion_tokens"] += usage.completion_tokens or 0
            self._sound_seconds += usage.sound_seconds or 0.0
            self._models |= {usage.model} - {""}

    def settle(self) -> Counts:
        """Return the counts, after at most a second for requests under way; the rest counts as cut."""
        with self._changed:
            self._changed.wait_for(lambda: self._under_way == 0, _GRACE)
            sums = Counter(self._sums) + Counter(cut=self._under_way)
            return Counts(
                **sums,
                errors=dict(sorted(self._errors.items())),
                sound_seconds=round(self._sound_seconds, 2),
                seconds=round(self._seconds, 3),
                models=tuple(sorted(self._models)),
            )


class Accounts:
    """The open accounts, by trial and by token."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._tokens: dict[str, str] = {}
        self._by_token: dict[str, Account] = {}

    def open(self, trial: str) -> str:
        """Open an account for a trial and return its token."""
        with self._lock:
            if trial in self._tokens:
                raise ValueError(f"The meter is already open for trial {trial}.")
            token = self._tokens[trial] = secrets.token_urlsafe(18)
            self._by_token[token] = Account()
            return token

    def close(self, trial: str) -> Counts:
        """Make a trial's token void and return its counts."""
        with self._lock:
            account = self._by_token.pop(self._tokens.pop(trial))
        return account.settle()

    def find(self, token: str) -> Account | None:
        """Return the open account of a token."""
        with self._lock:
            return self._by_token.get(token)
