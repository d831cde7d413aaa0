"""No workflow at all."""  # SG124 sg124-none

from pydantic import BaseModel


class Task(BaseModel):
    task: str
