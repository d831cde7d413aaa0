"""Models for other files: one that starts with _ is no workflow."""

from typing import Literal

from pydantic import BaseModel


class Pick(BaseModel):
    route: Literal["x", "y"]
