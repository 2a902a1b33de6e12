"""OpenAI's Agents SDK, on responses, which it takes by itself, and on chat."""

import asyncio
from typing import Any

from agents import (
    Agent,
    OpenAIChatCompletionsModel,
    OpenAIResponsesModel,
    Runner,
    function_tool,
    set_tracing_disabled,
)
from material import FIRST, INSTRUCTIONS, SECOND, Call, Weather
from openai import AsyncOpenAI

# Tracing would send data to the vendor.
set_tracing_disabled(True)


async def loop(model_class: Any, call: Call) -> dict:
    weather = Weather()

    @function_tool
    def get_weather(city: str) -> str:
        """Tells the weather."""
        return weather.tell(city)

    async with AsyncOpenAI(base_url=f"{call.url}/v1", api_key=call.key) as client:
        model = model_class(model=call.model, openai_client=client)
        agent = Agent(name="weather", instructions=INSTRUCTIONS, tools=[get_weather], model=model)
        first = await Runner.run(agent, FIRST)
        given = [*first.to_input_list(), {"role": "user", "content": SECOND}]
        streamed = ""
        async for event in Runner.run_streamed(agent, given).stream_events():
            if event.type == "raw_response_event" and event.data.type == "response.output_text.delta":
                streamed += event.data.delta
    return weather.turns(first.final_output, streamed)


def by_responses(call: Call) -> dict:
    return asyncio.run(loop(OpenAIResponsesModel, call))


def by_chat(call: Call) -> dict:
    return asyncio.run(loop(OpenAIChatCompletionsModel, call))
