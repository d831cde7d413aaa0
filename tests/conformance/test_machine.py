"""The rules hold after every step of random interleavings of everything."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from .machine import Everything, steps_done

STEPS = 50


def _run(steps: int) -> None:
    before = steps_done["steps"]
    run_state_machine_as_test(
        Everything,
        settings=settings(
            max_examples=steps // (STEPS - 20),  # an example may be much shorter
            stateful_step_count=STEPS,
            # Told as found: shrinking hundreds of whole runs takes minutes and gigabytes.
            phases=(Phase.explicit, Phase.reuse, Phase.generate),
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
    assert steps_done["steps"] - before >= steps


def test_ten_thousand_steps_break_no_rule() -> None:
    """O1-O8, T1-T11, D1-D9, H1-H3, whatever follows what."""
    _run(10_000)


@pytest.mark.crash
def test_a_million_steps_break_no_rule() -> None:
    """O1-O8, T1-T11, D1-D9, H1-H3, for a long time.

    In parts: hypothesis keeps what it has tried, and a million steps at once take gigabytes.
    """
    for _ in range(50):
        _run(20_000)
