"""Anthropic's Agent SDK: the command-line agent that its package brings, which always streams."""

import asyncio
import os
import tempfile
from typing import Any

from claude_agent_sdk import (
    AssistantMessage,
    ClaudeAgentOptions,
    ClaudeSDKClient,
    ResultMessage,
    TextBlock,
    create_sdk_mcp_server,
    tool,
)
from material import FIRST, INSTRUCTIONS, SECOND, Call, Weather

# The tool's name as the model sees it.
TOOL = "mcp__weather__get_weather"


def options(call: Call, weather: Weather, home: str) -> ClaudeAgentOptions:
    @tool("get_weather", "Tells the weather.", {"city": str})
    async def get_weather(given: dict[str, Any]) -> dict[str, Any]:
        return {"content": [{"type": "text", "text": weather.tell(given["city"])}]}

    return ClaudeAgentOptions(
        model=call.model,
        system_prompt=INSTRUCTIONS,
        mcp_servers={"weather": create_sdk_mcp_server("weather", tools=[get_weather])},
        allowed_tools=[TOOL],
        # No built-in tools, and no settings of the machine.
        tools=[],
        setting_sources=[],
        cwd=home,
        env={
            "PATH": os.environ["PATH"],
            "HOME": home,
            "CLAUDE_CONFIG_DIR": home,
            "ANTHROPIC_BASE_URL": call.url,
            "ANTHROPIC_API_KEY": call.key,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        },
    )


async def turn(client: ClaudeSDKClient, words: str) -> str:
    await client.query(words.replace("get_weather", TOOL))
    text = ""
    async for message in client.receive_response():
        if isinstance(message, AssistantMessage):
            blocks = [block.text for block in message.content if isinstance(block, TextBlock)]
            text = "".join(blocks) or text
        if isinstance(message, ResultMessage) and message.is_error:
            raise RuntimeError(message.result)
    return text


async def loop(call: Call) -> dict:
    weather = Weather()
    with tempfile.TemporaryDirectory() as home:
        async with ClaudeSDKClient(options(call, weather, home)) as client:
            first = await turn(client, FIRST)
            return weather.turns(first, await turn(client, SECOND))


def by_messages(call: Call) -> dict:
    return asyncio.run(loop(call))
