"""Anthropic's SDK."""

import asyncio
from typing import Any

import anthropic
from anthropic import Anthropic, AsyncAnthropic
from material import LONG, PIXEL_BASE64, QUESTION, RESULTS, TIME, WEATHER, WORDS, Call, Forecast

ERRORS = (anthropic.APIError,)

IMAGE = {
    "type": "image",
    "source": {"type": "base64", "media_type": "image/png", "data": PIXEL_BASE64},
}


def refusal_of(error: anthropic.APIError) -> dict[str, Any]:
    body = error.body if isinstance(error.body, dict) else {}
    inner = body.get("error") or {}
    return {
        "status": getattr(error, "status_code", None),
        "code": inner.get("code"),
        "type": inner.get("type"),
        "param": inner.get("param"),
        "message": error.message,
    }


def open_client(call: Call) -> Anthropic:
    return Anthropic(base_url=call.url, api_key=call.key, **call.limits())


def said(message: Any) -> dict[str, Any]:
    usage = message.usage
    details = getattr(usage, "output_tokens_details", None)
    return {
        "text": "".join(block.text for block in message.content if block.type == "text"),
        "thinking": "".join(b.thinking for b in message.content if b.type == "thinking"),
        "calls": [
            {"name": block.name, "input": block.input}
            for block in message.content
            if block.type == "tool_use"
        ],
        "stop": message.stop_reason,
        "model": message.model,
        "usage": {
            "input": usage.input_tokens,
            "cacheRead": usage.cache_read_input_tokens or 0,
            "output": usage.output_tokens,
            "reasoning": (details.thinking_tokens if details else 0) or 0,
        },
    }


def ask(call: Call, messages: list, streamed: bool = False, **more: Any) -> Any:
    params = {"model": call.model, "max_tokens": 4_000, "messages": messages, **more}
    client = open_client(call)
    if not streamed:
        return client.messages.create(**params)
    with client.messages.stream(**params) as stream:
        return stream.get_final_message()


def user(content: Any) -> dict[str, Any]:
    return {"role": "user", "content": content}


def text(call: Call) -> dict:
    return said(ask(call, [user(WORDS)]))


def stream(call: Call) -> dict:
    return said(ask(call, [user(WORDS)], streamed=True))


def asynchronous(call: Call) -> dict:
    async def both() -> dict:
        params: dict[str, Any] = {"model": call.model, "max_tokens": 4_000, "messages": [user(WORDS)]}
        async with AsyncAnthropic(base_url=call.url, api_key=call.key, **call.limits()) as client:
            whole = await client.messages.create(**params)
            streamed = ""
            async with client.messages.stream(**params) as pieces:
                async for piece in pieces.text_stream:
                    streamed += piece
            return {**said(whole), "streamed": streamed}

    return asyncio.run(both())


def with_tools(call: Call, tools: list, question: str, streamed: bool, result: Any, **more: Any) -> dict:
    more["tools"] = [
        {"name": t["name"], "description": t["description"], "input_schema": t["parameters"]}
        for t in tools
    ]
    messages = [user(question)]
    first = ask(call, messages, streamed, **more)
    messages.append({"role": "assistant", "content": first.content})
    results = [
        {"type": "tool_result", "tool_use_id": block.id, "content": result(block.name)}
        for block in first.content
        if block.type == "tool_use"
    ]
    messages.append(user(results))
    return {"first": said(first), "second": said(ask(call, messages, streamed, **more))}


def tools(call: Call) -> dict:
    return with_tools(call, [WEATHER], "get_weather", False, RESULTS.get)


def tools_streamed(call: Call) -> dict:
    return with_tools(call, [WEATHER], "get_weather", True, RESULTS.get)


def tools_parallel(call: Call) -> dict:
    return with_tools(call, [WEATHER, TIME], QUESTION, True, RESULTS.get)


def tools_image(call: Call) -> dict:
    result = [{"type": "text", "text": "a map"}, IMAGE]
    return with_tools(call, [WEATHER], "get_weather", False, lambda _: result)


def image_input(call: Call) -> dict:
    return said(ask(call, [user([{"type": "text", "text": "What is this?"}, IMAGE])]))


def thinking(call: Call) -> dict:
    more = {"thinking": {"type": "enabled", "budget_tokens": 1_024}}
    return with_tools(call, [WEATHER], "get_weather", True, RESULTS.get, **more)


def structured(call: Call) -> dict:
    parsed = open_client(call).messages.parse(
        model=call.model, max_tokens=4_000, messages=[user(WORDS)], output_format=Forecast
    )
    return {"parsed": parsed.parsed_output.model_dump(), **said(parsed)}


def cache_control(call: Call) -> dict:
    marked = {"type": "text", "text": LONG, "cache_control": {"type": "ephemeral"}}
    first = said(ask(call, [user("Hello")], system=[marked]))
    return {"first": first, "second": said(ask(call, [user("Hello")], system=[marked]))}


def count_tokens(call: Call) -> dict:
    counted = open_client(call).messages.count_tokens(model=call.model, messages=[user(WORDS)])
    return {"tokens": counted.input_tokens}


def models_list(call: Call) -> dict:
    return {"models": [model.id for model in open_client(call).models.list()]}


def models_get(call: Call) -> dict:
    return {"model": open_client(call).models.retrieve(call.model).id}


def malformed(call: Call) -> dict:
    # The SDK no longer has the parameter; applications that need it send it like this.
    return said(ask(call, [user(WORDS)], extra_body={"temperature": "hot"}))


def unknown_route(call: Call) -> dict:
    return {"batches": [batch.id for batch in open_client(call).messages.batches.list()]}


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
    "cache control": cache_control,
    "count tokens": count_tokens,
    "models list": models_list,
    "models get": models_get,
    "malformed": malformed,
    "unknown route": unknown_route,
}
