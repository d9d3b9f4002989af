"""Pairs that people have labelled, in the form of MMRB2, and a judge's predictions on them."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor, ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from mmbench import jsontext
from mmbench.bench.judge import pairwise, prompt
from mmbench.bench.judge.config import Config
from mmbench.bench.judge.pairwise import Pair, Response
from mmbench.bench.judge.panel import Judge, JudgeFailed, Said
from mmbench.bench.judge.question import Image
from mmbench.bench.judge.reply import ChoiceReply
from mmbench.errors import DataError, UsageError

MAX_IMAGE = 8 << 20
MEDIA = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF8": "image/gif",
    b"RIFF": "image/webp",
}
Prediction = dict[str, Any]


@dataclass(frozen=True, slots=True)
class PairFile:
    """One file of labelled pairs."""

    path: Path
    pairs: tuple[Mapping[str, Any], ...]
    sha256: str


def load(path: Path) -> PairFile:
    """Read a file of pairs; DataError names the first that is not of the form."""
    data = read_bytes(path)
    value = parse(data, path)
    pairs = value.get("pairs") if isinstance(value, dict) else None
    if not isinstance(pairs, list) or not pairs:
        raise DataError(
            'It holds no pairs: {"pairs": [{"id", "response_a", "response_b", "chosen"}]}.', where=path.name
        )
    seen: set[str] = set()
    for index, pair in enumerate(pairs):
        fault = _fault(pair, seen)
        if fault:
            raise DataError(f"Pair {index} {fault}.", where=f"{path.name}, pairs/{index}")
    return PairFile(path, tuple(pairs), jsontext.sha256(data))


def _fault(pair: Any, seen: set[str]) -> str:
    if not isinstance(pair, dict) or not isinstance(pair.get("id"), str):
        return "has no id"
    if pair["id"] in seen:
        return f"has the id {pair['id']!r}, which another one has"
    seen.add(pair["id"])
    return "" if pair.get("chosen") in ("A", "B") else f"was chosen as {pair.get('chosen')!r}, not A or B"


def read_bytes(path: Path) -> bytes:
    """Read a file that the user named."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}.", fix="Name an existing file.") from error


def parse(data: bytes, path: Path) -> Any:
    """Read JSON that the user named."""
    try:
        return jsontext.loads(data)
    except (ValueError, RecursionError) as error:
        raise DataError(f"It is not JSON: {error}.", where=path.name) from error


def pair_of(entry: Mapping[str, Any], folder: Path) -> Pair:
    """Make a question of a pair; its pictures are read from the folder."""
    return Pair(
        id=entry["id"],
        task=_response(entry.get("prompt_content", entry.get("prompt", "")), folder, entry["id"]),
        a=_response(entry.get("response_a"), folder, entry["id"]),
        b=_response(entry.get("response_b"), folder, entry["id"]),
    )


def _response(value: Any, folder: Path, name: str) -> Response:
    if isinstance(value, Mapping):
        value = value.get("response_content", value.get("content"))
    if isinstance(value, str):
        return Response((value,))
    if not isinstance(value, list):
        raise DataError("A response is neither a text nor a list of [kind, content].", where=name)
    return Response(tuple(_part(part, folder, name) for part in value))


def _part(part: Any, folder: Path, name: str) -> str | Image:
    match part:
        case ["text", str() as text]:
            return text
        case ["image", str() as path]:
            return _image(folder, path, name)
        case _:
            raise DataError("A part of a response is neither ['text', …] nor ['image', PATH].", where=name)


def _image(folder: Path, path: str, name: str) -> Image:
    file = (folder / path).resolve()
    if not file.is_relative_to(folder.resolve()) or not file.is_file():
        raise DataError(
            f"The picture {path} is not in {folder}.", where=name, fix="Name its folder with --images DIR."
        )
    data = file.read_bytes()
    media = next((media for magic, media in MEDIA.items() if data.startswith(magic)), None)
    if media is None or len(data) > MAX_IMAGE:
        raise DataError(
            f"{path} is not a PNG, JPEG, GIF or WebP of at most {MAX_IMAGE >> 20} MB.", where=name
        )
    return Image("", media, data)


def predict(
    config: Config,
    file: PairFile,
    out: Path,
    *,
    images: Path,
    jobs: int = 1,
    resume: bool = False,
    tell: Callable[[int, int], None] = lambda _done, _total: None,
) -> list[str]:
    """Judge every pair in both orders and write the predictions; return the pairs left without a verdict.

    Each is on the disk as soon as it is known, so that `resume` asks for the
    rest only. JudgeFailed when the judge cannot be asked at all.
    """
    journal = Journal.open(out, config, file, resume=resume)
    due = [entry for entry in file.pairs if entry["id"] not in journal.known]
    tell(len(journal.known), len(file.pairs))
    with _executor(jobs) as executor:
        under_way = {executor.submit(judge_pair, config, entry, images): entry["id"] for entry in due}
        try:
            for done, future in enumerate(as_completed(under_way), start=len(file.pairs) - len(due) + 1):
                prediction = future.result()
                if prediction["forward"] and prediction["reverse"]:
                    journal.add(under_way[future], prediction)
                tell(done, len(file.pairs))
        except BaseException:
            executor.shutdown(wait=False, cancel_futures=True)
            raise
    return journal.finish([entry["id"] for entry in file.pairs])


@contextmanager
def _executor(jobs: int) -> Iterator[Executor]:
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=context, initializer=_leave_interrupts) as executor:
        yield executor


def _leave_interrupts() -> None:
    """Let Ctrl-C reach the parent only, which knows how to end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def judge_pair(config: Config, entry: Mapping[str, Any], images: Path) -> Prediction:
    """Return the prediction on one pair; an order without a verdict is empty. JudgeFailed for a lasting fault."""
    orders = pairwise.compare(_judge(config), pair_of(entry, images), ties=False)
    for one in (*orders.forward, *orders.reverse):
        if one.error is not None and one.error.lasting:
            raise JudgeFailed(
                f"The judge {one.model} cannot be asked ({one.error}).",
                fix="Check its key, model and base URL; then add --resume to the same command.",
            )
    return {"forward": _said(orders.forward), "reverse": _said(orders.reverse)}


@lru_cache(maxsize=1)
def _judge(config: Config) -> Judge:
    return Judge.of(config)


def _said(said: tuple[Said[ChoiceReply], ...]) -> list[dict[str, Any]]:
    chosen = pairwise.majority(said)
    if chosen not in ("A", "B"):
        return []
    votes = [
        {"model": one.model, "choice": one.value.choice, "reason": one.value.reason, "tries": one.tries}
        for one in said
        if one.value is not None
    ]
    return [
        {
            "judgement": chosen,
            "evaluator": ",".join(one.model for one in said),
            "metadata": {"prompt_sha256": prompt.template_sha256("pairs"), "votes": votes},
        }
    ]


class Journal:
    """The predictions as they come, a line each beside the file that they end up in."""

    def __init__(self, out: Path, head: dict[str, Any], known: dict[str, Prediction]) -> None:
        self._out, self._path, self.known = out, _partial(out), known
        if not self._path.exists():
            self._append(head)

    @classmethod
    def open(cls, out: Path, config: Config, file: PairFile, *, resume: bool) -> Journal:
        """Begin or continue; UsageError when there is something that must not be mixed."""
        judge = {
            "models": list(config.models),
            "wire": config.wire,
            "prompt": prompt.template_sha256("pairs"),
        }
        head = {"judge": judge, "pairs": file.sha256}
        path = _partial(out)
        if not resume and (out.exists() or path.exists()):
            raise UsageError(
                f"{out.name} was begun before.", fix="Add --resume to go on, or name another file."
            )
        known: dict[str, Prediction] = {}
        if path.exists():
            first, *lines = _lines(path)
            if first != head:
                raise UsageError(
                    f"{path.name} was begun with another judge or other pairs.",
                    fix="Name another file with --out.",
                )
            known = {line["pair"]: line["prediction"] for line in lines}
        elif out.exists():
            known = parse(out.read_bytes(), out)
        return cls(out, head, known)

    def add(self, pair: str, prediction: Prediction) -> None:
        """Write one prediction durably."""
        self.known[pair] = prediction
        self._append({"pair": pair, "prediction": prediction})

    def finish(self, order: list[str]) -> list[str]:
        """Write all predictions as one file and return the pairs without; the journal stays while there are any."""
        found = {pair: self.known[pair] for pair in order if pair in self.known}
        draft = self._out.with_name(f".{self._out.name}.part")
        draft.write_text(json.dumps(found, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        draft.replace(self._out)
        missing = [pair for pair in order if pair not in found]
        if not missing:
            self._path.unlink()
        return missing

    def _append(self, value: Mapping[str, Any]) -> None:
        with self._path.open("ab") as file:
            file.write(jsontext.dumps(value).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())


def _partial(out: Path) -> Path:
    return out.with_name(f"{out.name}.partial")


def _lines(path: Path) -> list[dict[str, Any]]:
    """Read the whole lines of a journal; a torn last one is cut off, so that the next starts anew."""
    data = path.read_bytes()
    whole = data[: data.rfind(b"\n") + 1]
    if len(whole) < len(data):
        with path.open("r+b") as file:
            file.truncate(len(whole))
    lines = [jsontext.loads(line) for line in whole.split(b"\n")[:-1]]
    return lines or [{}]
