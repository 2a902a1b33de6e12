"""LangChain's agent, on its classes for OpenAI's chat and Anthropic's messages."""

from typing import Any

from langchain.agents import create_agent
from langchain_anthropic import ChatAnthropic
from langchain_core.messages import AIMessageChunk
from langchain_openai import ChatOpenAI
from material import FIRST, INSTRUCTIONS, SECOND, Call, Weather


def loop(model: Any) -> dict:
    weather = Weather()

    def get_weather(city: str) -> str:
        """Tells the weather."""
        return weather.tell(city)

    agent = create_agent(model, tools=[get_weather], system_prompt=INSTRUCTIONS)
    first = agent.invoke({"messages": [{"role": "user", "content": FIRST}]})
    messages = [*first["messages"], {"role": "user", "content": SECOND}]
    streamed = ""
    for piece, _ in agent.stream({"messages": messages}, stream_mode="messages"):
        if isinstance(piece, AIMessageChunk):
            streamed += piece.text
    return weather.turns(first["messages"][-1].text, streamed)


def by_chat(call: Call) -> dict:
    return loop(ChatOpenAI(model=call.model, base_url=f"{call.url}/v1", api_key=call.key))


def by_messages(call: Call) -> dict:
    return loop(ChatAnthropic(model_name=call.model, base_url=call.url, api_key=call.key))
