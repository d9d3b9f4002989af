"""The pairwise judge: two responses side by side, in both orders, so that a love of places shows."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mmbench.agreement import Preference, PreferenceShare, preference, settle
from mmbench.bench.judge import left, prompt, reply
from mmbench.bench.judge.panel import Judge, Said
from mmbench.bench.judge.question import Image, Question
from mmbench.bench.judge.reply import ChoiceReply
from mmbench.bench.judge.retry import Sleep
from mmbench.case import Case
from mmbench.records import Line


@dataclass(frozen=True, slots=True)
class Response:
    """One response: text and pictures in their order."""

    parts: tuple[str | Image, ...]

    def shown(self, name: str) -> tuple[str, tuple[Image, ...]]:
        """Return it as text with its pictures labelled by the name it is shown under."""
        texts: list[str] = []
        images: list[Image] = []
        for part in self.parts:
            if isinstance(part, Image):
                label = f"{name}, picture {len(images) + 1}"
                images.append(Image(label, part.media_type, part.data))
                texts.append(f"(see {label})")
            else:
                texts.append(part)
        return "\n".join(texts), tuple(images)


@dataclass(frozen=True, slots=True)
class Pair:
    """Two responses to one task; `grounds` is what the benchmark knows of the right answer."""

    id: str
    task: Response
    a: Response
    b: Response
    grounds: str = ""

    def question(self, *, swapped: bool, ties: bool) -> Question:
        """Build the question with A shown first, or with B shown first and called A."""
        first, second = (self.b, self.a) if swapped else (self.a, self.b)
        task, task_images = self.task.shown("the task")
        text_a, images_a = first.shown("response A")
        text_b, images_b = second.shown("response B")
        images = (*task_images, *images_a, *images_b)
        return prompt.pair(task, text_a, text_b, images=images, grounds=self.grounds, ties=ties)


@dataclass(frozen=True, slots=True)
class Orders:
    """What was said in both orders, as said: in `reverse` A is the response B of the pair."""

    forward: tuple[Said[ChoiceReply], ...]
    reverse: tuple[Said[ChoiceReply], ...]

    @property
    def outcome(self) -> Preference | None:
        """Return what both orders come to, None while one has no verdict."""
        there, back = majority(self.forward), majority(self.reverse)
        return settle(there, back) if there and back else None


def majority(said: Sequence[Said[ChoiceReply]]) -> str | None:
    """Return what most models of a panel chose; a draw among them is a tie, a failed model no verdict."""
    choices = [one.value.choice for one in said if one.value is not None]
    if len(choices) < len(said) or not choices:
        return None
    (best, most), *others = Counter(choices).most_common()
    return "tie" if others and others[0][1] == most else best


def compare(judge: Judge, pair: Pair, *, ties: bool, sleep: Sleep = time.sleep) -> Orders:
    """Ask about a pair in both orders; raises Stopped."""

    def ask(swapped: bool) -> tuple[Said[ChoiceReply], ...]:
        question = pair.question(swapped=swapped, ties=ties)
        return tuple(
            judge.ask(client, question, lambda text: reply.choice(text, ties=ties), sleep)
            for client in judge.clients
        )

    return Orders(ask(False), ask(True))


def of_outcomes(case: Case, a: Line, b: Line, results: Path) -> Pair:
    """Make a pair of two recorded attempts at one case."""
    task = Response((case.prompt.strip(),))
    name = f"{case.id}.{a['run']}"
    return Pair(name, task, _outcome(a, results), _outcome(b, results), prompt.truth_of(case.document))


def _outcome(trial: Line, results: Path) -> Response:
    seen = left.of_trial(trial, results)
    return Response((seen.text, *seen.images))


@dataclass(frozen=True, slots=True)
class Preferences:
    """The preference over all pairs, and how much the place had to do with it."""

    share: PreferenceShare
    first_chosen: int
    first_shown: int
    unjudged: int

    @property
    def position_bias(self) -> float | None:
        """Return the pull of the first place: 1 always, 0 none, -1 always the second."""
        return 2 * self.first_chosen / self.first_shown - 1 if self.first_shown else None


def summarise(orders: Sequence[Orders]) -> Preferences:
    """Sum up pairs judged in both orders; the place counts where a side was chosen in both."""
    judged = [(order, outcome) for order in orders if (outcome := order.outcome) is not None]
    raw = [(majority(order.forward), majority(order.reverse)) for order, _ in judged]
    sides = [choice for both in raw if "tie" not in both for choice in both]
    return Preferences(
        share=preference(outcome for _, outcome in judged),
        first_chosen=sides.count("A"),
        first_shown=len(sides),
        unjudged=len(orders) - len(judged),
    )
