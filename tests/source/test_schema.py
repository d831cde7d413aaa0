"""The schema that is made from a model's text is the one that pydantic makes of the class."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from segue.plugin.checking import BUILTINS, builtin_files, library
from segue.session.text import step_text
from segue.session.workflow.compile import compile_workflow
from segue.session.workflow.names import workflow_name
from segue.session.workflow.source.document import Document
from segue.session.workflow.source.library import Library
from segue.session.workflow.source.module import Module
from segue.session.workflow.source.schema import Unsettled, schema_of_node

MODELS = '''
from enum import Enum, StrEnum
from typing import Annotated, Literal, Optional, Union

from pydantic import BaseModel, ConfigDict, Field, StringConstraints
from segue import Context, Workflow

LONG = 240


class Colour(StrEnum):
    """Which one."""

    RED = "red"
    BLUE = "blue"


class Size(Enum):
    SMALL = 1
    LARGE = 2


Route = Literal["left", "right"]


class Inner(BaseModel):
    number: int


Line = Annotated[str, StringConstraints(strip_whitespace=True, min_length=3, max_length=LONG)]


class Base(BaseModel):
    """What all have."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str


class Answer(Base):
    """What is said.

    At some length.
    """

    route: Route
    one: Literal["x"]
    mixed: Literal["x", 1, True]
    colour: Colour
    default: Colour = Colour.RED
    size: Size
    line: Line
    lines_of: list[Line] = Field(min_length=1)
    text: str = Field(min_length=1, max_length=9, description="what")
    count: int = 0
    share: float | None = None
    lines: list[str] = []
    more: list[str] = Field(default_factory=list, max_length=3)
    inners: list[Inner]
    table: dict[str, int]
    inner: Inner
    maybe: Optional[Inner] = None
    either: Union[int, str, None] = None
    sure: bool = True
    grade: int = Field(ge=0, le=5)
    limit: float = Field(3.5, gt=0)
    pattern: str = Field(..., pattern="^x")


class Odd(BaseModel):
    pairs: tuple[int, int]


made = Workflow("made", start="a")


@made.agent(output=Answer)
def a(ctx: Context) -> str:
    return "x"


@made.decision(choices=["left", "right"])
def b(ctx: Context) -> str:
    return "x"


@made.decision(choices=["only"])
def c(ctx: Context) -> str:
    return "x"


@made.checkpoint(output=Inner)
def d(ctx: Context) -> str:
    return "x"


@made.checkpoint()
def e(ctx: Context) -> str:
    return "x"


@made.agent()
def f(ctx: Context) -> str:
    return "x"


made.edge(a, b)
made.edge(b, c)
made.edge(c, d)
made.edge(d, e)
made.edge(e, f)
'''


def said(schema: Any) -> Any:
    """Give a schema as the model sees it: without the titles that pydantic makes up."""
    if isinstance(schema, dict):
        return {
            key: said(value)
            for key, value in schema.items()
            if not (key == "title" and isinstance(value, str))
        }
    return [said(item) for item in schema] if isinstance(schema, list) else schema


def read(text: str) -> Module:
    return Library().put(Document.read(Path("/nowhere/made.py"), text.encode()))


def test_each_kind_of_field_has_the_schema_that_pydantic_makes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scope = ModuleType("made")
    monkeypatch.setitem(sys.modules, "made", scope)
    exec(compile(MODELS, "made.py", "exec"), scope.__dict__)
    loaded = compile_workflow(scope.made)
    module = read(MODELS)
    for node in module.workflows[0].nodes:
        real: Any = loaded.nodes[node.name].schema
        made: Any = schema_of_node(module, node)
        assert said(real) == made
        # The order is the model's to read, so it has to be the same too.
        if real is not None and "properties" in real:
            assert list(real["properties"]) == list(made["properties"])
            assert list(real.get("$defs", {})) == list(made.get("$defs", {}))


def test_what_text_does_not_tell_is_not_made_up() -> None:
    text = MODELS.replace("@made.agent(output=Answer)", "@made.agent(output=Odd)")
    module = read(text)
    with pytest.raises(Unsettled):
        schema_of_node(module, module.workflows[0].nodes[0])
    validated = MODELS.replace("    number: int\n", "    number: int\n\n    def ok(self): ...\n")
    module = read(validated)
    with pytest.raises(Unsettled):
        schema_of_node(module, module.workflows[0].nodes[0])


@pytest.mark.parametrize("path", builtin_files(), ids=lambda path: path.stem)
def test_contracts_of_built_ins_are_read_as_they_are_loaded(path: Path) -> None:
    name = workflow_name(path.stem)
    module = library().open(path)
    assert module is not None
    assert path.parent == BUILTINS
    loaded = importlib.import_module(f"segue.builtins.{path.stem}")
    workflow = next(w for w in module.workflows if w.name == name)
    definition = compile_workflow(getattr(loaded, workflow.variable))
    for node in workflow.nodes:
        real = definition.nodes[node.name]
        if real.kind not in {"agent", "checkpoint"} or real.human:
            continue
        try:
            made = schema_of_node(module, node)
        except Unsettled:
            continue
        assert said(real.schema) == made
        assert real.schema is None or step_text(name, real, "id", "").schema
