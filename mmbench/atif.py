"""Attempts as trajectories in ATIF, the interchange format of the Harbor framework.

Source of the format: RFC 0001 of Harbor, of which version 1.4 is what is used here.
Records keep texts capped and tool calls as text, so arguments are that text, and
a step that was capped says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mmbench.records import Attempt, Session

VERSION = "ATIF-v1.4"
Step = dict[str, Any]


def trajectory(session: Session, attempt: Attempt, prompt: str | None) -> dict[str, Any] | None:
    """Return an attempt's trajectory, None when its stream told no steps."""
    line, subject = attempt.trial, session.header["subject"]["agent"]
    items = line["steps"]["items"]
    if not items:
        return None
    steps: list[Step] = []
    if prompt is not None:
        steps.append({"source": "user", "message": prompt, "timestamp": line["started_at"]})
    for item in items:
        _add(steps, item)
    for number, step in enumerate(steps, start=1):
        step["step_id"] = number
    model = line["outcome"]["model"] or subject["model"]
    key = f"{line['case']}.{line['arm']}.{line['run']}.{attempt.number}"
    return {
        "schema_version": VERSION,
        "session_id": f"{session.id}/{key}",
        "agent": {"name": subject["name"], "version": subject["version"] or "unknown"}
        | ({"model_name": model} if model else {}),
        "steps": steps,
        "final_metrics": _metrics(line, len(steps)),
        "extra": {
            "case": line["case"],
            "arm": line["arm"],
            "run": line["run"],
            "attempt": attempt.number,
            "status": line["status"],
            "correctness": attempt.correctness,
            "dropped_steps": line["steps"]["dropped"],
        },
    }


def _add(steps: list[Step], item: Mapping[str, Any]) -> None:
    """Append a step, or put a tool's result to the call that it most probably answers."""
    text, name = item["text"]["text"], item["name"] or "unknown"
    if item["kind"] == "message":
        step: Step = {"source": "agent", "message": text}
    elif item["kind"] == "tool_call":
        call = {"tool_call_id": f"call-{len(steps) + 1}", "function_name": name, "arguments": {"text": text}}
        step = {"source": "agent", "message": "", "tool_calls": [call]}
    else:
        waiting = [step for step in steps if "tool_calls" in step and "observation" not in step]
        named = [step for step in waiting if step["tool_calls"][0]["function_name"] == name]
        answered = (named or (waiting if item["name"] is None else []))[:1]
        if answered:
            identity = answered[0]["tool_calls"][0]["tool_call_id"]
            answered[0]["observation"] = {"results": [{"source_call_id": identity, "content": text}]}
            return
        step = {"source": "agent", "message": "", "observation": {"results": [{"content": text}]}}
    if item["text"]["truncated"]:
        step["extra"] = {"truncated": True, "bytes": item["text"]["bytes"]}
    steps.append(step)


def _metrics(line: Mapping[str, Any], steps: int) -> dict[str, Any]:
    usage = line["usage"]
    known = {
        "total_prompt_tokens": usage["input_total"],
        "total_completion_tokens": usage["output_total"],
        "total_cached_tokens": usage["cache_read"],
        "total_cost_usd": usage["cost_usd"],
        "total_steps": steps,
    }
    return {name: value for name, value in known.items() if value is not None}
