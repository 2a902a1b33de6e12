"""Pydantic AI's agent, on its classes for OpenAI's chat and Gemini's contents."""

import asyncio
from typing import Any

from material import FIRST, INSTRUCTIONS, SECOND, Call, Weather
from pydantic_ai import Agent
from pydantic_ai.models.google import GoogleModel
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.google import GoogleProvider
from pydantic_ai.providers.openai import OpenAIProvider


async def loop(model: Any) -> dict:
    weather = Weather()
    agent = Agent(model, instructions=INSTRUCTIONS)

    @agent.tool_plain
    def get_weather(city: str) -> str:
        """Tells the weather."""
        return weather.tell(city)

    first = await agent.run(FIRST)
    async with agent.run_stream(SECOND, message_history=first.all_messages()) as second:
        pieces = [piece async for piece in second.stream_text(delta=True)]
    return weather.turns(first.output, "".join(pieces))


def by_chat(call: Call) -> dict:
    provider = OpenAIProvider(base_url=f"{call.url}/v1", api_key=call.key)
    return asyncio.run(loop(OpenAIChatModel(call.model, provider=provider)))


def by_contents(call: Call) -> dict:
    provider = GoogleProvider(base_url=call.url, api_key=call.key)
    return asyncio.run(loop(GoogleModel(call.model, provider=provider)))
