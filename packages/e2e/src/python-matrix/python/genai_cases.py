"""Google's SDK."""

import asyncio
from typing import Any

from google import genai
from google.genai import errors, types
from material import PIXEL, QUESTION, RESULTS, TIME, WEATHER, WORDS, Call, Forecast

ERRORS = (errors.APIError,)


def refusal_of(error: errors.APIError) -> dict[str, Any]:
    body = error.details if isinstance(error.details, dict) else {}
    inner = body.get("error", body)
    info = next(iter(inner.get("details") or []), {})
    return {
        "status": error.code,
        "code": info.get("reason"),
        "type": error.status,
        "param": (info.get("metadata") or {}).get("param"),
        "message": error.message,
    }


def open_client(call: Call) -> genai.Client:
    """To be held for as long as it is used: a client that nobody holds closes its connections."""
    options = types.HttpOptions(base_url=call.url)
    if call.retries is not None:
        options.retry_options = types.HttpRetryOptions(attempts=call.retries + 1, initial_delay=0.1)
    return genai.Client(api_key=call.key, http_options=options)


def usage_of(response: Any) -> dict[str, int]:
    usage = response.usage_metadata
    cached = usage.cached_content_token_count or 0
    return {
        "input": usage.prompt_token_count - cached,
        "cacheRead": cached,
        "output": (usage.candidates_token_count or 0) + (usage.thoughts_token_count or 0),
        "reasoning": usage.thoughts_token_count or 0,
    }


def said(parts: list, last: Any) -> dict[str, Any]:
    words = [part for part in parts if part.text]
    return {
        "text": "".join(part.text for part in words if not part.thought),
        "thinking": "".join(part.text for part in words if part.thought),
        "calls": [
            {"name": part.function_call.name, "input": part.function_call.args}
            for part in parts
            if part.function_call
        ],
        "stop": last.candidates[0].finish_reason.value,
        "model": last.model_version,
        "usage": usage_of(last),
    }


def parts_of(response: Any) -> list:
    content = response.candidates[0].content if response.candidates else None
    return list(content.parts or []) if content else []


def ask(call: Call, contents: Any, streamed: bool = False, **config: Any) -> tuple[list, dict]:
    client = open_client(call)
    params = {"model": call.model, "contents": contents}
    params["config"] = types.GenerateContentConfig(**config)
    if not streamed:
        answer = client.models.generate_content(**params)
        return parts_of(answer), said(parts_of(answer), answer)
    pieces = list(client.models.generate_content_stream(**params))
    parts = [part for piece in pieces for part in parts_of(piece)]
    return parts, said(parts, pieces[-1])


def text(call: Call) -> dict:
    return ask(call, WORDS)[1]


def stream(call: Call) -> dict:
    return ask(call, WORDS, streamed=True)[1]


def asynchronous(call: Call) -> dict:
    async def both() -> dict:
        client = open_client(call)
        models = client.aio.models
        params: dict[str, Any] = {"model": call.model, "contents": WORDS}
        whole = await models.generate_content(**params)
        streamed = ""
        async for piece in await models.generate_content_stream(**params):
            streamed += "".join(part.text or "" for part in parts_of(piece))
        return {**said(parts_of(whole), whole), "streamed": streamed}

    return asyncio.run(both())


def with_tools(call: Call, tools: list, question: str, streamed: bool, result: Any, **config: Any) -> dict:
    declarations = [
        types.FunctionDeclaration(
            name=tool["name"],
            description=tool["description"],
            parameters_json_schema=tool["parameters"],
        )
        for tool in tools
    ]
    config["tools"] = [types.Tool(function_declarations=declarations)]
    contents = [types.Content(role="user", parts=[types.Part(text=question)])]
    parts, first = ask(call, contents, streamed, **config)
    contents.append(types.Content(role="model", parts=parts))
    answers = [
        types.Part(
            function_response=types.FunctionResponse(
                id=part.function_call.id, name=part.function_call.name, **result(part.function_call.name)
            )
        )
        for part in parts
        if part.function_call
    ]
    contents.append(types.Content(role="user", parts=answers))
    return {"first": first, "second": ask(call, contents, streamed, **config)[1]}


def result_of(name: str) -> dict[str, Any]:
    return {"response": {"output": RESULTS[name]}}


def tools(call: Call) -> dict:
    return with_tools(call, [WEATHER], "get_weather", False, result_of)


def tools_streamed(call: Call) -> dict:
    return with_tools(call, [WEATHER], "get_weather", True, result_of)


def tools_parallel(call: Call) -> dict:
    return with_tools(call, [WEATHER, TIME], QUESTION, True, result_of)


def tools_image(call: Call) -> dict:
    image = types.FunctionResponseBlob(mime_type="image/png", data=PIXEL)
    parts = [types.FunctionResponsePart(inline_data=image)]
    result = {"response": {"output": "a map"}, "parts": parts}
    return with_tools(call, [WEATHER], "get_weather", False, lambda _: result)


def image_input(call: Call) -> dict:
    return ask(call, ["What is this?", types.Part.from_bytes(data=PIXEL, mime_type="image/png")])[1]


def thinking(call: Call) -> dict:
    config = types.ThinkingConfig(include_thoughts=True, thinking_level=types.ThinkingLevel.LOW)
    return with_tools(call, [WEATHER], "get_weather", True, result_of, thinking_config=config)


def structured(call: Call) -> dict:
    client = open_client(call)
    answer = client.models.generate_content(
        model=call.model,
        contents=WORDS,
        config=types.GenerateContentConfig(
            response_mime_type="application/json", response_schema=Forecast
        ),
    )
    return {"parsed": answer.parsed.model_dump(), **said(parts_of(answer), answer)}


def embeddings(call: Call) -> dict:
    client = open_client(call)
    made = client.models.embed_content(model=call.model, contents=["Hello", "there"])
    return {"vectors": [len(one.values or []) for one in made.embeddings or []]}


def count_tokens(call: Call) -> dict:
    client = open_client(call)
    return {"tokens": client.models.count_tokens(model=call.model, contents=WORDS).total_tokens}


def models_list(call: Call) -> dict:
    client = open_client(call)
    return {"models": [model.name for model in client.models.list()]}


def models_get(call: Call) -> dict:
    client = open_client(call)
    return {"model": client.models.get(model=call.model).name}


def malformed(call: Call) -> dict:
    config = types.GenerateContentConfig()
    # The SDK validates types in its constructor, so the wrong one is set afterwards.
    config.temperature = "hot"  # type: ignore[assignment]
    client = open_client(call)
    answer = client.models.generate_content(model=call.model, contents=WORDS, config=config)
    return said(parts_of(answer), answer)


def unknown_route(call: Call) -> dict:
    client = open_client(call)
    return {"files": [file.name for file in client.files.list()]}


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
    "embeddings": embeddings,
    "count tokens": count_tokens,
    "models list": models_list,
    "models get": models_get,
    "malformed": malformed,
    "unknown route": unknown_route,
}
