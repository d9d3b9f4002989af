"""What was proven of which version of a CLI: kept as data, and shown as a page of the docs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "tests" / "data" / "contract"
PAGE = ROOT / "docs" / "contract.md"

COLUMNS: Mapping[str, str] = {
    "runs": "runs the command",
    "mm": "mm in its arm",
    "no_mm": "no mm in the other",
    "tokens": "tokens exact",
    "asks": "asks and waits",
    "401": "401",
    "429": "429",
    "500": "500",
    "no_server": "no server",
    "hang": "hang",
    "prompts": "prompts verbatim",
    "forgets": "second run is fresh",
    "closed": "nothing leaks in",
}
"""Claims by key, with the head of their column."""

HEAD = """\
# Proven against the real programs

Each built-in adapter is driven with the real CLI at its pinned version, in the real sandbox, in both arms, against a
scripted model server on loopback: no key, no account, no token spent. `nox -s contract` does it for codex, pi and
claude, `nox -s contract -- NAMES` for those named, `nox -s contract -- all` for all eight. It writes this page; a
raised pin is not done until it stands here.
"""

LEGEND = """\
- **runs the command**: the model asks for a shell command, it really runs, and its output comes back.
- **mm in its arm**, **no mm in the other**: from the agent's own shell, by the shim's own record.
- **tokens exact**: input, cached input, output and reasoning in the record equal what the server served.
- **asks and waits**: from its shell it writes a question to the user into a file, waits, and reads the answer that
  appears in another.
- **401** to **hang**: the model's endpoint fails, and the trial ends within its limit with this kind of failure.
- **prompts verbatim**: prompts that start with `-`, with `@file`, with `/command`, that hold quotes and Unicode, and
  one of 180 KB arrive as they are; exceptions stand below.
- **second run is fresh**: nothing of a first run, its prompt, its files or its transcript, is seen by a second.
- **nothing leaks in**: instruction files, skills, memories, MCP servers and keys of the user do not reach the model.
"""

REMARKS: Mapping[str, str] = {
    "gemini": "Its shell tool refuses a command with `$(…)`, `$((…))`, `<(…)`, `>(…)` or backquotes outside of single "
    "quotes, and tells the model so: the CLI's own rule, in both arms alike.",
}
"""What a CLI does by itself and no claim tells."""


@dataclass(slots=True)
class Proof:
    """What is known of one CLI."""

    agent: str
    version: str
    proven: dict[str, str] = field(default_factory=dict)
    """The shown result by claim; absent claims were not tried."""
    prompts: dict[str, str] = field(default_factory=dict)
    """How each kind of prompt arrived."""
    tools: list[str] = field(default_factory=list)
    """The names of the tools that it offers the model."""
    reported: list[str] = field(default_factory=list)
    """The figures of usage that it reports."""


def load(agent: str, version: str | None = None) -> Proof | None:
    """Read what is known of a CLI; None where nothing is, or nothing of this version."""
    path = DATA / f"{agent}.json"
    if not path.is_file():
        return None
    proof = Proof(**json.loads(path.read_text(encoding="utf-8")))
    return proof if version in (None, proof.version) else None


def known() -> list[Proof]:
    """Read what is known of every CLI, by name."""
    found = (load(path.stem) for path in sorted(DATA.glob("*.json")))
    return [proof for proof in found if proof is not None]


def save(proof: Proof) -> None:
    """Write what is known of a CLI."""
    DATA.mkdir(parents=True, exist_ok=True)
    text = json.dumps(asdict(proof), indent=1, sort_keys=True, ensure_ascii=False)
    (DATA / f"{proof.agent}.json").write_text(f"{text}\n", encoding="utf-8")


def page(proofs: Iterable[Proof]) -> str:
    """Return the page: the table, what its columns mean, and each CLI's own ways."""
    proofs = list(proofs)
    heads = ["agent", "version", *COLUMNS.values()]
    rows = [
        [proof.agent, proof.version, *(proof.proven.get(key, "not tried") for key in COLUMNS)]
        for proof in proofs
    ]
    lines = [heads, ["---"] * len(heads), *rows]
    table = "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
    return "\n".join([HEAD, table, "", LEGEND, *(_ways(proof) for proof in proofs)])


def _ways(proof: Proof) -> str:
    by_way: dict[str, list[str]] = {}
    for name, how in sorted(proof.prompts.items()):
        by_way.setdefault(how, []).append(name)
    prompts = "; ".join(f"{how} ({', '.join(names)})" for how, names in sorted(by_way.items()))
    return (
        f"## {proof.agent} {proof.version}\n\n"
        f"- Tools it offers the model: {', '.join(f'`{name}`' for name in proof.tools) or 'not recorded'}\n"
        f"- Figures it reports: {', '.join(proof.reported) or 'not recorded'}\n"
        f"- Prompts arrive: {prompts or 'not tried'}\n"
        + (f"- {REMARKS[proof.agent]}\n" if proof.agent in REMARKS else "")
    )
