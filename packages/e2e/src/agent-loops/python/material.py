"""What every framework is given: the gateway, a tool, and what is said in two turns."""

import dataclasses

INSTRUCTIONS = "You tell the weather."
FIRST = "get_weather in Zürich 🦊"
SECOND = "get_weather once more"


@dataclasses.dataclass(frozen=True)
class Call:
    url: str
    key: str
    model: str


class Weather:
    """The tool, which notes what it is called with and tells its calls apart by its answers."""

    def __init__(self) -> None:
        self.cities: list[str] = []

    def tell(self, city: str) -> str:
        self.cities.append(city)
        return f"föhn {len(self.cities)}"

    def turns(self, *texts: str) -> dict:
        """What both turns ended with, and what the tool was called with."""
        return {"texts": list(texts), "cities": self.cities}
