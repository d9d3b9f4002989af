"""Adapters from elsewhere: `module:Class`, the entry-point group `mmbench.agents`, or a TOML file."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

from mmbench.bench.agents.base import Agent
from mmbench.bench.agents.declaration import read
from mmbench.bench.agents.declared import agent_of
from mmbench.errors import UsageError, unknown
from mmbench.layout import is_name

GROUP = "mmbench.agents"
FORMS = (
    "An agent of your own is named by `module:Class`, by a .toml file, or by an entry point of the group "
    f"{GROUP}: see docs/custom-agents.md."
)
ATTRIBUTES: dict[str, type | tuple[type, ...]] = {
    "name": str,
    "adapter_version": str,
    "executable": str,
    "reference": bool,
    "wire": (str, type(None)),
    "credentials_env": tuple,
    "credentials_files": tuple,
}
METHODS = ("launch", "parse", "version_argv")


def load(name: str, built_in: Collection[str] = ()) -> Agent:
    """Return the adapter that a name stands for; raises UsageError with what is wrong and where.

    None may be called like a built-in one: its results would stand under that one's name.
    """
    agent = _found(name, built_in)
    if agent.name in built_in:
        raise UsageError(
            f"The agent calls itself '{agent.name}', like a built-in one.", where=name, fix=FORMS
        )
    return agent


def _found(name: str, built_in: Iterable[str]) -> Agent:
    if name.endswith(".toml"):
        return agent_of(read(Path(name)))
    points = {point.name: point for point in entry_points(group=GROUP)}
    if name in points:
        return _from_entry_point(points[name])
    if ":" in name:
        return _from_module(name)
    raise unknown("agent", name, [*built_in, *points], fix=FORMS)


def _from_entry_point(point: EntryPoint) -> Agent:
    place = f"entry point `{point.name} = {point.value}` of {GROUP}"
    try:
        made = point.load()
    except (ImportError, AttributeError) as error:
        raise UsageError(f"The agent cannot be imported: {error}.", where=place, fix=FORMS) from error
    return _checked(made, place)


def _from_module(name: str) -> Agent:
    module, _, attribute = name.partition(":")
    try:
        made = getattr(import_module(module), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise UsageError(f"The agent cannot be imported: {error}.", where=name, fix=FORMS) from error
    return _checked(made, name)


def _checked(made: Any, place: str) -> Agent:
    """Return the adapter of a class, or raise UsageError that lists what it lacks."""
    if not isinstance(made, type):
        raise UsageError("The agent is not a class.", where=place, fix=FORMS)
    wrong = [
        f"`{name}` is not a {getattr(kind, '__name__', 'str or None')}"
        for name, kind in ATTRIBUTES.items()
        if not isinstance(getattr(made, name, ...), kind)
    ]
    wrong += [f"there is no method `{name}`" for name in METHODS if not callable(getattr(made, name, None))]
    if not wrong and not is_name(made.name):  # type: ignore[attr-defined]
        wrong = ["`name` may hold only a-z, 0-9, `.`, `_` and `-`"]
    if wrong:
        raise UsageError(f"The class is not an agent: {'; '.join(wrong)}.", where=place, fix=FORMS)
    try:
        agent: Agent = made()
    except TypeError as error:
        raise UsageError(f"The agent cannot be made without arguments: {error}.", where=place) from error
    return agent
