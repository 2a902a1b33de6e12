"""What every SDK is given, and how a cell is called: the same words, tools, picture and schema."""

import base64
import dataclasses
import io
import struct
from typing import Any, Optional

from pydantic import BaseModel

WORDS = "Grüße, 日本 🦊"
QUESTION = "get_weather and get_time, „Zürich“ 🦊"
# Longer than the minimum cacheable prefix of any vendor.
LONG = "A sentence that stands in every request of this conversation. " * 200

PIXEL_BASE64 = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
PIXEL = base64.b64decode(PIXEL_BASE64)
PIXEL_URL = f"data:image/png;base64,{PIXEL_BASE64}"

WEATHER = {
    "name": "get_weather",
    "description": "Tells the weather.",
    "parameters": {
        "type": "object",
        "properties": {"city": {"type": "string"}},
        "required": ["city"],
    },
}
TIME = {
    "name": "get_time",
    "description": "Tells the time.",
    "parameters": {
        "type": "object",
        "properties": {"zone": {"type": "integer"}},
        "required": ["zone"],
    },
}
RESULTS = {"get_weather": "föhn", "get_time": "noon"}


class Forecast(BaseModel):
    city: str
    celsius: float


@dataclasses.dataclass(frozen=True)
class Call:
    """One cell: where the gateway is, with which key and model, and how often to try again."""

    url: str
    key: str
    model: str
    retries: Optional[int] = None

    def limits(self) -> dict[str, Any]:
        """For the clients that call it so; absent: as the SDK does by itself."""
        return {} if self.retries is None else {"max_retries": self.retries}


def sound() -> io.BytesIO:
    """A second of silence, as a file with a name, since forms go by it."""
    samples = b"\0" * 16_000
    header = b"RIFF" + struct.pack("<I", 36 + len(samples)) + b"WAVEfmt "
    header += struct.pack("<IHHIIHH", 16, 1, 1, 8_000, 16_000, 2, 16) + b"data"
    file = io.BytesIO(header + struct.pack("<I", len(samples)) + samples)
    file.name = "speech.wav"
    return file


def picture() -> io.BytesIO:
    file = io.BytesIO(PIXEL)
    file.name = "pixel.png"
    return file
