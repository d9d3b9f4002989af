"""mm, the treatment: where it is installed, and whether it still is what was pinned.

mm lives in a virtualenv of its own, so that binding or not binding that one
folder decides whether an arm has it. What belongs to mm is read from the
installed distribution's own file list, never from a list kept here.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import Distribution, distributions
from pathlib import Path, PurePosixPath

from mmbench.bench.kept import Kept, remember, sha256
from mmbench.errors import PrerequisiteError

PIN = "0.13.2"
"""The version under test; the primer is right for exactly this one."""

DISTRIBUTION = "mm-ctx"
FIX = "Run `nox -s bench` (or `nox -s tests`), which installs it."

# Written by whichever installer was at work, so they differ between two right installations.
_INSTALLER_NOTES = frozenset({"INSTALLER", "RECORD", "REQUESTED", "direct_url.json", "uv_cache.json"})


@dataclass(frozen=True, slots=True)
class Mm:
    """An installed mm.

    prefix/
    ├── bin/python            python, mm's own interpreter
    ├── bin/mm                executable, its console script
    └── lib/…/site-packages   site_packages
    """

    prefix: Path
    executable: Path
    python: Path
    site_packages: Path
    base_prefix: Path
    """The Python installation that the virtualenv was made from."""
    version: str
    digest: str
    """SHA-256 over the paths and bytes that the wheel brought; installers and scripts stay out of it."""
    hashes: Mapping[Path, str]
    """SHA-256 of every file of the distribution, console scripts included, compiled bytecode not."""

    @property
    def roots(self) -> tuple[Path, ...]:
        """Return the folders that must be visible for mm to run."""
        return (self.prefix, self.base_prefix)

    @property
    def scripts(self) -> tuple[Path, ...]:
        """Return the programs that the distribution installed."""
        return tuple(path for path in self.hashes if self.site_packages not in path.parents)


def locate(state: Path, pin: str = PIN) -> Mm:
    """Find the mm of a project's state folder.

    Raises PrerequisiteError when it is missing, changed or of another version.
    """
    return at(state / "mm" / "bin" / "mm", pin)


def at(executable: Path, pin: str = PIN) -> Mm:
    """Describe the mm that a console script belongs to; raises like `locate`."""
    if not executable.is_file():
        raise PrerequisiteError(f"mm {pin} is not installed.", where=str(executable), fix=FIX)
    script = executable.resolve()
    prefix = script.parent.parent
    site_packages, installed = _distribution(prefix)
    if installed.version != pin:
        what = f"mm {installed.version} is installed, but this benchmark measures {pin}."
        raise PrerequisiteError(what, where=str(prefix), fix=f"Remove {prefix}. {FIX}")
    hashes = dict(_hashes(installed, prefix))
    return Mm(
        prefix=prefix,
        executable=script,
        python=prefix / "bin" / "python",
        site_packages=site_packages,
        base_prefix=_base_prefix(prefix),
        version=installed.version,
        digest=_digest(hashes, site_packages),
        hashes=hashes,
    )


def kept(mm: Mm) -> Kept:
    """Remember how the files of mm look, to tell later whether one was changed."""
    return remember(mm.hashes)


def owns(mm: Mm) -> Callable[[str, str], bool]:
    """Return the test whether a program (its entry name and real path) is mm's."""
    names = {script.name for script in mm.scripts}
    inside = f"{mm.prefix}/"
    return lambda name, real: name in names or real.startswith(inside)


def _distribution(prefix: Path) -> tuple[Path, Distribution]:
    for site_packages in sorted(prefix.glob("lib/python3*/site-packages")):
        for found in distributions(name=DISTRIBUTION, path=[str(site_packages)]):
            return site_packages, found
    raise PrerequisiteError(f"{DISTRIBUTION} is not installed there.", where=str(prefix), fix=FIX)


def _base_prefix(prefix: Path) -> Path:
    config = prefix / "pyvenv.cfg"
    if not config.is_file():
        raise PrerequisiteError(
            "mm must be installed in a virtualenv of its own.", where=str(prefix), fix=FIX
        )
    pairs = (line.partition("=") for line in config.read_text(encoding="utf-8").splitlines())
    values = {key.strip(): value.strip() for key, _, value in pairs}
    return Path(values["home"]).resolve().parent


def _hashes(installed: Distribution, prefix: Path) -> Iterator[tuple[Path, str]]:
    for entry in installed.files or ():
        if entry.suffix == ".pyc" or entry.name in _INSTALLER_NOTES:
            continue
        path = Path(str(installed.locate_file(entry))).resolve()
        recorded = entry.hash.value if entry.hash else None
        if not path.is_file() or (recorded and _record_form(found := sha256(path)) != recorded):
            what = "A file of mm is missing or was changed after it was installed."
            raise PrerequisiteError(what, where=str(path), fix=f"Remove {prefix}. {FIX}")
        yield path, found if recorded else sha256(path)


def _digest(hashes: Mapping[Path, str], site_packages: Path) -> str:
    total = hashlib.sha256()
    root = site_packages.resolve()
    names = {path.relative_to(root).as_posix(): path for path in hashes if root in path.parents}
    for name in sorted(names, key=PurePosixPath):
        total.update(f"{name}\0{hashes[names[name]]}\n".encode())
    return total.hexdigest()


def _record_form(digest: str) -> str:
    return base64.urlsafe_b64encode(bytes.fromhex(digest)).rstrip(b"=").decode()
