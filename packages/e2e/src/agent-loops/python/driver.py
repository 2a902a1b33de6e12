"""Runs loops in one process: a JSON line in for each, a JSON line out.

In:  {"id", "sdk", "case", "call": {"url", "key", "model"}}
Out: {"id", "said": {"texts", "cities"}}, or {"id", "bug"} for an exception.
"""

import importlib
import json
import sys
import traceback

from material import Call


def answer(line: str) -> dict:
    asked = json.loads(line)
    try:
        # Imported on demand: all of them take seconds, and a run may need only one.
        loops = importlib.import_module(f"{asked['sdk']}_loops")
        return {"id": asked["id"], "said": getattr(loops, asked["case"])(Call(**asked["call"]))}
    except Exception:
        return {"id": asked["id"], "bug": traceback.format_exc()}


if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps(answer(line)), flush=True)
