"""Runs the cells of the matrix in one process: a JSON line in for each, a JSON line out.

In:  {"id", "sdk", "case", "call": {"url", "key", "model", "retries"}}
Out: {"id", "said"}, {"id", "refusal"} for the SDK's own errors, or {"id", "bug"} for anything else,
so that a mistake here is never taken for what the gateway said.
"""

import json
import sys
import traceback

import anthropic_cases
import genai_cases
import openai_cases
import responses_cases
from material import Call

SDKS = {
    "openai": openai_cases,
    "responses": responses_cases,
    "anthropic": anthropic_cases,
    "genai": genai_cases,
}


def answer(line: str) -> dict:
    asked = json.loads(line)
    sdk = SDKS[asked["sdk"]]
    try:
        case = sdk.CASES[asked["case"]]
        return {"id": asked["id"], "said": case(Call(**asked["call"]))}
    except sdk.ERRORS as error:
        return {"id": asked["id"], "refusal": {"class": type(error).__name__, **sdk.refusal_of(error)}}
    except Exception:
        return {"id": asked["id"], "bug": traceback.format_exc()}


def main() -> None:
    if sys.argv[1:] == ["--cases"]:
        print(json.dumps({name: list(sdk.CASES) for name, sdk in SDKS.items()}))
        return
    for line in sys.stdin:
        print(json.dumps(answer(line)), flush=True)


if __name__ == "__main__":
    main()
