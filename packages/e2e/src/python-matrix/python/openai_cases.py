"""OpenAI's SDK: chat completions, and the operations beside conversations."""

import asyncio
from typing import Any, Optional

import openai
from material import (
    LONG,
    PIXEL_URL,
    QUESTION,
    RESULTS,
    TIME,
    WEATHER,
    WORDS,
    Call,
    Forecast,
    picture,
    sound,
)
from openai import AsyncOpenAI, OpenAI

ERRORS = (openai.APIError,)


def refusal_of(error: openai.APIError) -> dict[str, Any]:
    return {
        "status": getattr(error, "status_code", None),
        "code": error.code,
        "type": error.type,
        "param": error.param,
        "message": error.message,
    }


def open_client(call: Call) -> OpenAI:
    return OpenAI(base_url=f"{call.url}/v1", api_key=call.key, **call.limits())


def open_async(call: Call) -> AsyncOpenAI:
    return AsyncOpenAI(base_url=f"{call.url}/v1", api_key=call.key, **call.limits())


def user(content: Any) -> dict[str, Any]:
    return {"role": "user", "content": content}


def usage_of(usage: Any) -> Optional[dict[str, int]]:
    if usage is None:
        return None
    cached = usage.prompt_tokens_details.cached_tokens if usage.prompt_tokens_details else 0
    reasoning = (
        usage.completion_tokens_details.reasoning_tokens if usage.completion_tokens_details else 0
    )
    return {
        "input": usage.prompt_tokens - (cached or 0),
        "cacheRead": cached or 0,
        "output": usage.completion_tokens,
        "reasoning": reasoning or 0,
    }


def said(completion: Any) -> dict[str, Any]:
    choice = completion.choices[0]
    message = choice.message
    return {
        "text": message.content or "",
        "thinking": getattr(message, "reasoning_content", None) or "",
        "calls": [
            {"name": one.function.name, "input": one.function.arguments}
            for one in message.tool_calls or []
        ],
        "stop": choice.finish_reason,
        "model": completion.model,
        "usage": usage_of(completion.usage),
    }


def ask(call: Call, messages: list, streamed: bool = False, **more: Any) -> Any:
    """One turn, taken together by the SDK's own means where it is streamed."""
    client = open_client(call)
    if not streamed:
        return client.chat.completions.create(model=call.model, messages=messages, **more)
    more = {"stream_options": {"include_usage": True}, **more}
    with client.chat.completions.stream(model=call.model, messages=messages, **more) as stream:
        return stream.get_final_completion()


def text(call: Call) -> dict:
    return said(ask(call, [user(WORDS)]))


def stream(call: Call) -> dict:
    return said(ask(call, [user(WORDS)], streamed=True))


def asynchronous(call: Call) -> dict:
    async def both() -> dict:
        async with open_async(call) as client:
            params: dict[str, Any] = {"model": call.model, "messages": [user(WORDS)]}
            whole = await client.chat.completions.create(**params)
            pieces = await client.chat.completions.create(**params, stream=True)
            streamed = ""
            async for piece in pieces:
                streamed += "".join(choice.delta.content or "" for choice in piece.choices)
            return {**said(whole), "streamed": streamed}

    return asyncio.run(both())


def with_tools(call: Call, tools: list, question: str, streamed: bool, result: Any, **more: Any) -> dict:
    """Two turns: the calls, then what is made of their results."""
    more["tools"] = [{"type": "function", "function": tool} for tool in tools]
    messages = [user(question)]
    first = ask(call, messages, streamed, **more)
    message = first.choices[0].message
    messages.append(message.model_dump(exclude_none=True, exclude={"parsed"}))
    for one in message.tool_calls or []:
        content = result(one.function.name)
        messages.append({"role": "tool", "tool_call_id": one.id, "content": content})
    return {"first": said(first), "second": said(ask(call, messages, streamed, **more))}


def tools(call: Call) -> dict:
    return with_tools(call, [WEATHER], "get_weather", False, RESULTS.get)


def tools_streamed(call: Call) -> dict:
    return with_tools(call, [WEATHER], "get_weather", True, RESULTS.get)


def tools_parallel(call: Call) -> dict:
    return with_tools(call, [WEATHER, TIME], QUESTION, True, RESULTS.get)


def tools_image(call: Call) -> dict:
    image = {"type": "image_url", "image_url": {"url": PIXEL_URL}}
    result = [{"type": "text", "text": "a map"}, image]
    return with_tools(call, [WEATHER], "get_weather", False, lambda _: result)


def thinking(call: Call) -> dict:
    more = {"reasoning_effort": "low", "max_completion_tokens": 4_000}
    return with_tools(call, [WEATHER], "get_weather", False, RESULTS.get, **more)


def image_input(call: Call) -> dict:
    image = {"type": "image_url", "image_url": {"url": PIXEL_URL}}
    return said(ask(call, [user([{"type": "text", "text": "What is this?"}, image])]))


def structured(call: Call) -> dict:
    parsed = open_client(call).chat.completions.parse(
        model=call.model, messages=[user(WORDS)], response_format=Forecast
    )
    return {"parsed": parsed.choices[0].message.parsed.model_dump(), **said(parsed)}


def json_object(call: Call) -> dict:
    question = [user("Hello, as JSON")]
    return said(ask(call, question, response_format={"type": "json_object"}))


def cache_control(call: Call) -> dict:
    marked = {"type": "text", "text": LONG, "cache_control": {"type": "ephemeral"}}
    messages = [{"role": "system", "content": [marked]}, user("Hello")]
    first = said(ask(call, messages))
    return {"first": first, "second": said(ask(call, messages))}


def malformed(call: Call) -> dict:
    return said(ask(call, [user(WORDS)], temperature="hot"))


def unknown_route(call: Call) -> dict:
    return {"files": [file.id for file in open_client(call).files.list()]}


def embeddings(call: Call) -> dict:
    made = open_client(call).embeddings.create(model=call.model, input=["Hello", "there"])
    return {"vectors": [len(one.embedding) for one in made.data], "model": made.model}


def images(call: Call) -> dict:
    made = open_client(call).images.generate(model=call.model, prompt="A tree", n=2)
    return {"images": [bool(one.b64_json or one.url) for one in made.data or []]}


def image_edit(call: Call) -> dict:
    made = open_client(call).images.edit(model=call.model, prompt="A tree", image=picture())
    return {"images": [bool(one.b64_json or one.url) for one in made.data or []]}


def image_variation(call: Call) -> dict:
    made = open_client(call).images.create_variation(model=call.model, image=picture())
    return {"images": [bool(one.b64_json or one.url) for one in made.data or []]}


def speech(call: Call) -> dict:
    made = open_client(call).audio.speech.create(model=call.model, input="Hello", voice="alloy")
    return {"bytes": len(made.read())}


def transcription(call: Call) -> dict:
    heard = open_client(call).audio.transcriptions.create(model=call.model, file=sound())
    return {"text": heard.text}


def translation(call: Call) -> dict:
    heard = open_client(call).audio.translations.create(model=call.model, file=sound())
    return {"text": heard.text}


def moderation(call: Call) -> dict:
    judged = open_client(call).moderations.create(model=call.model, input="Hello")
    return {"flagged": [one.flagged for one in judged.results]}


def completion(call: Call) -> dict:
    made = open_client(call).completions.create(model=call.model, prompt="Hello", max_tokens=50)
    return {"text": made.choices[0].text}


def models_list(call: Call) -> dict:
    return {"models": [model.id for model in open_client(call).models.list()]}


def models_get(call: Call) -> dict:
    return {"model": open_client(call).models.retrieve(call.model).id}


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
    "json object": json_object,
    "thinking": thinking,
    "usage of a cache": text,
    "name of the model": text,
    "name of the model, streamed": stream,
    "cache control": cache_control,
    "embeddings": embeddings,
    "images": images,
    "image edit": image_edit,
    "image variation": image_variation,
    "speech": speech,
    "transcription": transcription,
    "translation": translation,
    "moderation": moderation,
    "completion": completion,
    "models list": models_list,
    "models get": models_get,
    "malformed": malformed,
    "unknown route": unknown_route,
}
