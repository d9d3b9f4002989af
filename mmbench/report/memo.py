"""Figures that were worked out before, by what they follow from.

A figure is a pure function of records, so it is kept under a key that names
the function and hashes the records. Kept as MessagePack and read back into
the type that it had: floats come back bit by bit.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Generic, Protocol, TypeVar, get_type_hints, overload

import msgspec

from mmbench.report.store import Store

T = TypeVar("T")


class Memo:
    """Values by key, taken up from the entry `name` of a store; `keep` leaves those that were asked for."""

    def __init__(self, store: Store | None = None, name: str = "", fingerprint: str = "") -> None:
        self._store, self._name, self._fingerprint = store, name, fingerprint
        data = store.read(name, fingerprint) if store else None
        self._known: dict[str, msgspec.Raw] = {} if data is None else _decoder(_ENTRY).decode(data)
        self._asked: dict[str, msgspec.Raw] = {}

    def keep(self) -> None:
        """Leave the values of this build to the next, when they are others than before."""
        if self._store and self._asked.keys() != self._known.keys():
            self._store.write(self._name, self._fingerprint, _ENCODER.encode(self._asked))

    def of(self, key: str, kind: Any, make: Callable[[], T]) -> T:
        """Return the value of a key, of type `kind`; made when it is not known."""
        known = self._asked.get(key) or self._known.get(key)
        if known is None:
            made = make()
            self._asked[key] = msgspec.Raw(_ENCODER.encode(made))
            return made
        self._asked[key] = known
        value: T = _decoder(kind).decode(known)
        return value


_ENTRY = dict[str, msgspec.Raw]
_ENCODER = msgspec.msgpack.Encoder()


@lru_cache(maxsize=64)
def _decoder(kind: Any) -> msgspec.msgpack.Decoder[Any]:
    return msgspec.msgpack.Decoder(kind)


class Remembers(Protocol):
    """Something whose figures are remembered: where, and under which name for what it is made of."""

    @property
    def memo(self) -> Memo:
        """Return where figures are kept."""
        ...

    @property
    def identity(self) -> str:
        """Return a hash of all that its figures follow from."""
        ...


class remembered(Generic[T]):  # noqa: N801 (a decorator, as `cached_property` is)
    """A property that is worked out once for an object, and once for all objects of one identity."""

    def __init__(self, work: Callable[[Any], T]) -> None:
        self._work = work
        self._name = work.__name__
        self.__doc__ = work.__doc__

    @overload
    def __get__(self, instance: None, owner: type[Any]) -> remembered[T]: ...

    @overload
    def __get__(self, instance: Remembers, owner: type[Any]) -> T: ...

    def __get__(self, instance: Remembers | None, owner: type[Any]) -> remembered[T] | T:
        if instance is None:
            return self
        key = f"{self._name} {instance.identity}"
        value = instance.memo.of(key, _returned(self._work), lambda: self._work(instance))
        instance.__dict__[self._name] = value  # found first from now on, as with `cached_property`
        return value


@lru_cache(maxsize=64)
def _returned(work: Callable[[Any], Any]) -> Any:
    return get_type_hints(work)["return"]
