"""Faults of processes: killed, interrupted, two at once."""

from __future__ import annotations

import random
import signal
import time

from tests.faults.account import Cost, count
from tests.faults.running import Bench, ended, only_ledger, place, settle
from tests.support import tiny
from tests.support.judge_endpoint import JudgeEndpoint, score


def killed(tries: int) -> Cost:
    """Kill a parallel session at random moments, then continue it."""
    name = "kill -9 at a random moment"
    with place() as where:
        started = time.monotonic()
        undisturbed = Bench(where)
        if undisturbed.wait() != 0:
            raise SystemExit(f"A session that nothing disturbs fails:\n{undisturbed.output}")
        whole = time.monotonic() - started
    cost = Cost(name)
    draw = random.Random(9)
    for _ in range(tries):
        with place() as where:
            bench = Bench(where)
            time.sleep(draw.uniform(0, whole))
            bench.send(signal.SIGKILL)
            bench.wait()
            cost += settle(name, where, bench.told())
    return cost


def interrupted(tries: int) -> Cost:
    """Press Ctrl-C during a run, every other time twice, then continue."""
    name = "SIGINT during a run"
    cost = Cost(name)
    for number in range(max(2, tries // 5)):
        with place() as where:
            bench = Bench(where)
            bench.until(lambda bench=bench: bool(bench.told()))  # type: ignore[misc]
            for _ in range(1 + number % 2):
                bench.send(signal.SIGINT)
                time.sleep(0.05)
            bench.wait()
            cost += ended(bench, 130, settle(name, where, bench.told()))
    return cost


def interrupted_judge(tries: int) -> Cost:
    """Press Ctrl-C while the judge is being waited for, then continue: no agent runs again."""
    name = "SIGINT during the judge"
    cost = Cost(name)
    for _ in range(max(1, tries // 10)):
        with place(cases=1) as where, JudgeEndpoint(score(4), faults={1: "hang"}) as judge:
            words = ("--judge", "score", "--judge.model", "judge-model")
            words += ("--judge.base-url", judge.base_url, "--judge.api-key", "judge-key-1")
            bench = Bench(where, *words)
            bench.until(lambda judge=judge: bool(judge.questions))  # type: ignore[misc]
            bench.send(signal.SIGINT)
            judge.over.set()
            bench.wait()
            cost += ended(bench, 130, settle(name, where, bench.told(), *words))
    return cost


def two_at_once(tries: int) -> Cost:
    """Continue a session while it runs: the second process is refused and disturbs nothing."""
    name = "two processes on one file"
    cost = Cost(name)
    for _ in range(max(1, tries // 10)):
        with place() as where:
            # One trial ends at once, the others when the second process has been refused.
            go, once = where.root / "go", where.root / "once"
            where.agent(f"mkdir {once} || while [ ! -e {go} ]; do sleep 0.05; done\n{tiny.GOOD}")
            first = Bench(where)
            first.until(lambda first=first: bool(first.told()))  # type: ignore[misc]
            second = Bench(where, "--resume")
            refused = second.wait() == 2 and "under way" in second.output
            go.touch()
            first.wait()
            found = count(name, only_ledger(where), first.told())
            cost += found if refused and first.process.returncode == 0 else Cost(name, 1)
    return cost
