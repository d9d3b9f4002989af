"""Where everything lies: the project's folders and the names of files in them."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path

NAME = re.compile(r"[a-z0-9][a-z0-9._-]*")
"""What an id may look like, so that it is safe as a file name and in a URL."""


def is_name(text: str) -> bool:
    """Tell whether a text may be used as an id."""
    return bool(NAME.fullmatch(text)) and len(text) <= 120


def as_name(text: str) -> str:
    """Return the id that is nearest to a text."""
    return re.sub(r"[^a-z0-9._-]+", "-", text.lower()).strip("-._")[:120] or "unknown"


@dataclass(frozen=True, slots=True)
class Project:
    """The folders of one checkout.

    root/
    ├── schemas/                    JSON Schemas of cases and records
    ├── cases/<suite>/<id>/         case.json  prompt.md  solution.sh
    ├── results/<session>.jsonl     one ledger per session, committed
    │   ├── cases/<hash>.json       the cases of those sessions as they were
    │   ├── artifacts/<session>/    small files that agents wrote
    │   ├── cleanup/<session>.jsonl what was removed of it later, and when
    │   └── judge/*.json            how far judges agree with people
    ├── site/                       source of the report
    ├── _site/                      the built report, ignored by git
    └── .mmbench/                   ignored by git, can always be deleted
        ├── dataset/<name>/         datasets, verified by manifest
        ├── mm/                     a virtualenv that holds only mm
        ├── agents/<name>/          installed agent CLIs
        ├── models/                 weights of the local profile
        ├── sandboxes/<session>/    one folder per trial under way
        └── streams/<session>/      raw output of the agents, compressed
    """

    root: Path
    results: Path
    state: Path = field(default=Path())

    @property
    def schemas(self) -> Path:
        """Return the folder of the JSON Schemas."""
        return self.root / "schemas"

    @property
    def cases(self) -> Path:
        """Return the folder of the suites."""
        return self.root / "cases"

    @property
    def site(self) -> Path:
        """Return the source folder of the report."""
        return self.root / "site"

    @property
    def datasets(self) -> Path:
        """Return the folder of the verified datasets."""
        return self.state / "dataset"

    @property
    def agents(self) -> Path:
        """Return the folder of the installed agent CLIs."""
        return self.state / "agents"

    @property
    def sandboxes(self) -> Path:
        """Return the folder of the trials under way."""
        return self.state / "sandboxes"

    def ledger(self, session: str) -> Path:
        """Return the results file of a session."""
        return self.results / f"{session}.jsonl"

    def artifacts(self, session: str) -> Path:
        """Return the folder of the files that a session's agents wrote."""
        return self.results / "artifacts" / session

    def case_file(self, digest: str) -> Path:
        """Return the stored form of a case by its content hash."""
        return self.results / "cases" / f"{digest}.json"

    def streams(self, session: str) -> Path:
        """Return the folder of a session's raw streams."""
        return self.state / "streams" / session


def project(results: Path | None = None, state: Path | None = None) -> Project:
    """Find the checkout that this package belongs to.

    The state folder is `.mmbench/` in it unless MMBENCH_STATE names another.
    """
    root = Path(__file__).resolve().parent.parent
    named = os.environ.get("MMBENCH_STATE")
    return Project(
        root=root,
        results=(results or root / "results").absolute(),
        state=(state or (Path(named) if named else root / ".mmbench")).absolute(),
    )


def short(path: Path) -> str:
    """Return a path relative to the working folder when it lies below it."""
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)


def inside(path: Path, root: Path) -> bool:
    """Tell whether a path lies in a folder once every link on the way is followed."""
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(root))


def shown(path: Path) -> str:
    """Name a results file with its folder, which is not always results/."""
    return f"{path.absolute().parent.name}/{path.name}"
