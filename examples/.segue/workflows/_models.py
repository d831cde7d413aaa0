"""Models that several workflows of this folder share."""

from enum import StrEnum

from pydantic import BaseModel, Field


class Severity(StrEnum):
    """How bad a report is for the people it hits."""

    LOW = "low"
    HIGH = "high"
    UNCLEAR = "unclear"


class Change(BaseModel):
    """What is to be changed."""

    task: str


class Plan(BaseModel):
    """How a change will be made."""

    steps: list[str] = Field(min_length=1)
    risk: str = Field(min_length=10, description="What may break, and how that would be seen.")
