"""What the text model knows by heart about the author's API is what the API says."""

from __future__ import annotations

import inspect
from typing import Any, get_args

from segue import Decision, HumanDecision, ShellResult, Workflow
from segue.session.workflow.handles import Effect, Outcome
from segue.session.workflow.rules.settings import EFFECTS, WORKFLOW
from segue.session.workflow.rules.view import OUTCOMES
from segue.session.workflow.source.graph import BARE, SETTINGS
from segue.session.workflow.source.types import OWN_FIELDS, Kind


def parameters(function: Any) -> dict[str, inspect.Parameter]:
    return {name: p for name, p in inspect.signature(function).parameters.items() if name != "self"}


def test_each_maker_takes_the_settings_that_its_signature_has() -> None:
    for kind, known in SETTINGS.items():
        found = parameters(getattr(Workflow, kind))
        keyword = [n for n, p in found.items() if p.kind is inspect.Parameter.KEYWORD_ONLY]
        assert keyword == list(known)


def test_the_makers_without_parentheses_take_the_function() -> None:
    bare = {
        kind
        for kind in SETTINGS
        if next(iter(parameters(getattr(Workflow, kind)).values())).name == "fn"
    }
    assert bare == BARE


def test_a_workflow_takes_the_settings_that_its_signature_has() -> None:
    assert list(parameters(Workflow.__init__)) == list(WORKFLOW)


def test_words_of_the_api_are_the_same() -> None:
    assert Outcome.VALUES == OUTCOMES
    assert get_args(Effect) == EFFECTS


def test_the_fields_of_our_own_models_are_the_same() -> None:
    for model in (Decision, HumanDecision, ShellResult):
        own = OWN_FIELDS[model.__name__]
        assert list(model.model_fields) == list(own)
        for name, field in model.model_fields.items():
            assert (field.annotation is str) == (
                own[name].kind is Kind.TEXT and not own[name].nullable
            )
