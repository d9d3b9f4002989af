"""Every way to reach mm, and the script that tries them inside an arm's sandbox.

The routes are derived from the installed distribution's file list. In the
control arm each of them must fail; in an arm with mm the plain command must
work from every shell an agent may start, login shells included.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from mmbench.bench.mm import DISTRIBUTION, Mm

PYTHON = "{python}"
"""Stands in a route for every Python that the sandbox has."""

_RUNNABLE = re.compile(r"__name__\s*==\s*['\"]__main__['\"]")
_TAG = "mmbench-probe"
_SHELLS = ("sh -c", "bash -c", "bash -lc", "zsh -lc")

# The last line is what counts: a login shell may print a greeting first.
_HEAD = r"""probe() {
  _label=$1; shift
  _text=$("$@" </dev/null 2>&1); _code=$?
  printf '\nTAG\t%s\t%s\t%s\n' "$_label" "$_code" "${_text##*
}"
}
has() { command -v "$1" >/dev/null 2>&1; }
# Each interpreter once: resolving links costs one start each, trying every route twice costs more.
pythons() {
  _key='import os, sys; print(os.path.realpath(sys.executable), sys.prefix)'
  _old=$IFS; IFS=:; _dirs="$PATH:/usr/local/bin:/usr/bin"; _seen=
  for _dir in $_dirs; do
    for _python in "$_dir"/python "$_dir"/python3 "$_dir"/python3.[0-9]* "$_dir"/pypy3; do
      case "$_python" in *-config) continue ;; esac
      [ -x "$_python" ] && _is=$("$_python" -c "$_key" 2>/dev/null) || continue
      case "$_seen" in *"|$_is|"*) ;; *) _seen="$_seen|$_is|"; printf '%s\n' "$_python" ;; esac
    done
  done
  IFS=$_old
}
"""

# Says where a package of that name and content would be imported from, without importing it; a
# namespace (any folder called mm) or a stranger's package of that name is not it.
_IMPORT = """import importlib.metadata as m, importlib.util as u, os, sys
for package, names in {packages!r}.items():
    spec = u.find_spec(package)
    for place in spec and spec.submodule_search_locations or ():
        if all(os.path.exists(os.path.join(place, name)) for name in names):
            sys.exit(print(place))
try:
    print(m.version({distribution!r}))
except m.PackageNotFoundError:
    sys.exit('not importable')
"""


@dataclass(frozen=True, slots=True)
class Route:
    """A command that would run or import mm."""

    label: str
    argv: tuple[str, ...]
    """argv[0] may be PYTHON."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What a probe did that it should not have."""

    label: str
    exit_code: int | None
    """None when the probe did not come back."""
    output: str


def routes(mm: Mm, path: str = "") -> list[Route]:
    """List every way to reach mm.

    `path` is the host's PATH, on which other installations of mm may lie.
    """
    modules = sorted(_modules(mm))
    folders = [mm.executable.parent, *(Path(part) for part in path.split(":") if part.startswith("/"))]
    names = sorted({script.name for script in mm.scripts})
    places = [folder / name for folder in folders for name in names]
    absolute = dict.fromkeys(str(place) for place in places if place.exists())
    code = _IMPORT.format(packages=_packages(mm), distribution=DISTRIBUTION)
    return [
        *(Route(name, (name, "--version")) for name in names),
        *(Route(where, (where, "--version")) for where in absolute),
        *(Route(f"-m {name}", (PYTHON, "-m", name, "--version")) for name in modules),
        *(Route(f"{mm.python} -m {name}", (str(mm.python), "-m", name, "--version")) for name in modules),
        Route("import", (PYTHON, "-c", code)),
        Route(f"{mm.python} import", (str(mm.python), "-c", code)),
    ]


def probe_script(routes: Sequence[Route], *, expect_absent: bool) -> str:
    """Write the script for `sh -c` inside an arm's sandbox; `read_probe` understands what it prints."""
    lines = [_HEAD.replace("TAG", _TAG)]
    plain = [route for route in routes if "/" not in route.argv[0] and route.argv[0] != PYTHON]
    for shell in _SHELLS:
        for route in plain:
            command = shlex.quote(shlex.join(route.argv))
            lines.append(f"! has {shell.split()[0]} || {_probe(f'{shell} {route.label}')} {shell} {command}")
    if expect_absent:
        lines.append("_pythons=$(pythons)")
        lines += [_line(route) for route in routes if route not in plain]
    lines.append(f"printf '\\n{_TAG}\\tend\\t0\\t\\n'")
    return "\n".join(lines) + "\n"


def read_probe(output: str, *, expect_absent: bool, version: str) -> list[Finding]:
    """Return what contradicts the arm, an empty list when all is as it should be."""
    found = list(_findings(output))
    if not found or found[-1].label != "end":
        return [Finding("the probe itself", None, output[-200:])]
    if expect_absent:
        return [finding for finding in found[:-1] if finding.exit_code == 0]
    shown = re.compile(rf"(?<![\w.]){re.escape(version)}(?![\w.])")
    return [one for one in found[:-1] if one.exit_code != 0 or not shown.search(one.output.replace("v", " "))]


def _modules(mm: Mm) -> Iterator[str]:
    """Yield the modules of the distribution that `python -m` can run."""
    root = mm.site_packages.resolve()
    for path in mm.hashes:
        if root not in path.parents or path.suffix != ".py":
            continue
        parts = path.relative_to(root).with_suffix("").parts
        if parts[-1] == "__main__":
            yield ".".join(parts[:-1])
        elif _RUNNABLE.search(path.read_text(encoding="utf-8", errors="replace")):
            yield ".".join(parts)


def _packages(mm: Mm) -> dict[str, list[str]]:
    """Return the top-level packages, each with the modules that tell it from a namesake."""
    root = mm.site_packages.resolve()
    packages: dict[str, list[str]] = {}
    for path in sorted(path.relative_to(root) for path in mm.hashes if root in path.parents):
        if len(path.parts) == 2 and path.suffix == ".py":
            packages.setdefault(path.parts[0], []).append(path.name)
    return packages


def _probe(label: str) -> str:
    return f"probe {shlex.quote(label)}"


def _line(route: Route) -> str:
    if route.argv[0] != PYTHON:
        return f"{_probe(route.label)} {shlex.join(route.argv)}"
    rest = shlex.join(route.argv[1:])
    each = f'probe "$_py {route.label}" "$_py" {rest}'
    return f'printf \'%s\\n\' "$_pythons" | while read -r _py; do [ -z "$_py" ] || {each}; done'


def _findings(output: str) -> Iterator[Finding]:
    for line in output.split("\n"):
        tag, _, rest = line.partition("\t")
        label, code, text = [*rest.split("\t", 2), "", ""][:3]
        if tag == _TAG and code.isdigit():
            yield Finding(label, int(code), text)
