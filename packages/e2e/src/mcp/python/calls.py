"""Calls a tool once for each line of standard input, in one session of the official client.

Arguments: the server's URL, an API key, and the client's mode. Prints `ready` and the revision, then a
line of JSON for each call.
"""

import asyncio
import json
import sys

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client


async def main(url: str, key: str, mode: str) -> None:
    headers = {"authorization": f"Bearer {key}"}
    async with httpx2.AsyncClient(headers=headers, timeout=60) as http_client:
        transport = streamable_http_client(url, http_client=http_client)
        async with Client(transport, mode=mode) as client:
            print("ready", client.protocol_version, flush=True)
            loop = asyncio.get_running_loop()
            while line := await loop.run_in_executor(None, sys.stdin.readline):
                result = await client.call_tool("sim_echo", {"line": line.strip()})
                print(json.dumps([part.text for part in result.content]), flush=True)


asyncio.run(main(*sys.argv[1:4]))
