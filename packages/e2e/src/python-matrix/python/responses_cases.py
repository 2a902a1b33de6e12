"""OpenAI's SDK: the Responses API."""

import asyncio
from typing import Any

import openai
from material import PIXEL_URL, QUESTION, RESULTS, TIME, WEATHER, WORDS, Call, Forecast
from openai_cases import ERRORS, open_async, open_client, refusal_of as refusal_of_chat

__all__ = ["CASES", "ERRORS", "refusal_of"]


class FailedResponse(openai.OpenAIError):
    """A response that failed after it had begun: the SDK raises nothing, it says so in the response."""

    def __init__(self, error: Any) -> None:
        super().__init__(error.message)
        self.code = error.code


ERRORS = (*ERRORS, FailedResponse)


def refusal_of(error: Any) -> dict[str, Any]:
    if isinstance(error, FailedResponse):
        return {"status": None, "code": error.code, "message": str(error)}
    return refusal_of_chat(error)


def said(response: Any) -> dict[str, Any]:
    if response.status == "failed":
        raise FailedResponse(response.error)
    # Open models return plain thinking in the content of the item.
    thoughts = [
        part.text
        for item in response.output
        if item.type == "reasoning"
        for part in [*item.summary, *(item.content or [])]
    ]
    usage = response.usage
    cached = usage.input_tokens_details.cached_tokens
    return {
        "id": response.id,
        "text": response.output_text,
        "thinking": "".join(thoughts),
        "calls": [
            {"name": item.name, "input": item.arguments}
            for item in response.output
            if item.type == "function_call"
        ],
        "stop": response.status,
        "model": response.model,
        "usage": {
            "input": usage.input_tokens - cached,
            "cacheRead": cached,
            "output": usage.output_tokens,
            "reasoning": usage.output_tokens_details.reasoning_tokens,
        },
    }


def ask(call: Call, given: Any, streamed: bool = False, **more: Any) -> Any:
    client = open_client(call)
    if not streamed:
        return client.responses.create(model=call.model, input=given, **more)
    last = None
    for event in client.responses.create(model=call.model, input=given, stream=True, **more):
        last = event
    if last is None or last.type not in ("response.completed", "response.failed", "response.incomplete"):
        raise RuntimeError(f"the stream ended with {last}")
    return last.response


def text(call: Call) -> dict:
    return said(ask(call, WORDS))


def stream(call: Call) -> dict:
    return said(ask(call, WORDS, streamed=True))


def asynchronous(call: Call) -> dict:
    async def both() -> dict:
        async with open_async(call) as client:
            whole = await client.responses.create(model=call.model, input=WORDS)
            streamed = ""
            async for event in await client.responses.create(model=call.model, input=WORDS, stream=True):
                streamed += event.delta if event.type == "response.output_text.delta" else ""
            return {**said(whole), "streamed": streamed}

    return asyncio.run(both())


def with_tools(call: Call, tools: list, question: str, streamed: bool, result: Any, **more: Any) -> dict:
    more["tools"] = [{"type": "function", "strict": False, **tool} for tool in tools]
    given: list[Any] = [{"role": "user", "content": question}]
    first = ask(call, given, streamed, **more)
    given += [item.model_dump(exclude_none=True) for item in first.output]
    for item in first.output:
        if item.type != "function_call":
            continue
        output = {"type": "function_call_output", "call_id": item.call_id, "output": result(item.name)}
        given.append(output)
    return {"first": said(first), "second": said(ask(call, given, streamed, **more))}


def tools(call: Call) -> dict:
    return with_tools(call, [WEATHER], "get_weather", False, RESULTS.get)


def tools_streamed(call: Call) -> dict:
    return with_tools(call, [WEATHER], "get_weather", True, RESULTS.get)


def tools_parallel(call: Call) -> dict:
    return with_tools(call, [WEATHER, TIME], QUESTION, True, RESULTS.get)


def tools_image(call: Call) -> dict:
    result = [
        {"type": "input_text", "text": "a map"},
        {"type": "input_image", "image_url": PIXEL_URL, "detail": "auto"},
    ]
    return with_tools(call, [WEATHER], "get_weather", False, lambda _: result)


def image_input(call: Call) -> dict:
    parts = [
        {"type": "input_text", "text": "What is this?"},
        {"type": "input_image", "image_url": PIXEL_URL, "detail": "auto"},
    ]
    return said(ask(call, [{"role": "user", "content": parts}]))


def thinking(call: Call) -> dict:
    more = {
        "reasoning": {"effort": "low", "summary": "auto"},
        "include": ["reasoning.encrypted_content"],
        "store": False,
        "max_output_tokens": 4_000,
    }
    return with_tools(call, [WEATHER], "get_weather", False, RESULTS.get, **more)


def structured(call: Call) -> dict:
    parsed = open_client(call).responses.parse(model=call.model, input=WORDS, text_format=Forecast)
    return {"parsed": parsed.output_parsed.model_dump(), **said(parsed)}


def continued(call: Call) -> dict:
    first = ask(call, WORDS)
    second = ask(call, "And then?", previous_response_id=first.id)
    return {"first": said(first), "second": said(second)}


def retrieve(call: Call) -> dict:
    made = ask(call, WORDS)
    return {"made": said(made), **said(open_client(call).responses.retrieve(made.id))}


def cancel(call: Call) -> dict:
    made = ask(call, WORDS, background=True)
    return {"status": open_client(call).responses.cancel(made.id).status}


def malformed(call: Call) -> dict:
    return said(ask(call, WORDS, temperature="hot"))


CASES = {
    "text": text,
    "stream": stream,
    "async": asynchronous,
    "tools": tools,
    "tools streamed": tools_streamed,
    "tools in parallel": tools_parallel,
    "tool result with an image": tools_image,
    "image": image_input,
    "structured output": structured,
    "thinking": thinking,
    "usage of a cache": text,
    "name of the model": text,
    "name of the model, streamed": stream,
    "continued": continued,
    "retrieve": retrieve,
    "cancel": cancel,
    "malformed": malformed,
}
