"""Every bound of the core in one place (S4). Times are seconds, sizes as named."""

from __future__ import annotations

AGENT_SECONDS = 900.0
"""An agent or assistant step's own time (product.md section 4)."""
COMPUTE_SECONDS = 60.0
"""Generous for pure Python; an endless loop has to end some day."""
ACTION_SECONDS = 600.0
"""An action or a shell command: builds and test suites take minutes."""
CALLBACK_SECONDS = 30.0
"""A prompt, a parser or any other short callback."""
LOAD_SECONDS = 30.0
"""Importing a workflow module in a fresh worker."""
HUMAN_TEXT_CHARS = 10_000
"""The free text that comes with a person's choice."""
MAX_STEPS = 100
"""Steps of one run unless the workflow says otherwise (product.md section 4)."""
PROMPT_CHARS = 96_000
"""The ceiling of one prompt (product.md section 4)."""
ANSWER_CHARS = 1_000_000
"""An answer of the model, as text: larger ones are refused unread."""
OUTPUT_CHARS = 10_000_000
"""A callback's output as JSON text; larger values belong into a file."""
NESTING = 64
"""How deep an answer may nest: far under what JSON parsers and pydantic survive."""
CAPTURE_CHARS = 1_000_000
"""Captured output of a command, each stream (S4)."""
PRINT_CHARS = 65_536
"""What author prints leave behind, the last of it."""
UPDATE_CHARS = 65_536
"""One update's data (S4)."""
UPDATES_PER_SECOND = 20
"""Updates of a run that are kept each second (S4)."""
UPDATE_BURST = 100
"""Updates that may come at once after a quiet time."""
FRAME_BYTES = 64 * 1024 * 1024
"""One frame between server and worker: a 10 MB output in the worst JSON escaping fits."""
REASON_CHARS = 8_192
"""A stored reason."""
REJECTED_CHARS = 65_536
"""The raw text of one rejected answer that is kept."""
REJECTIONS_KEPT = 50
"""Rejected answers of one request whose raw text is kept."""
WORKER_DEATHS = 2
"""Deaths of a worker without progress that park a run (D6)."""
INLINE_CHARS = 4_096
"""JSON text up to this lies in its row, longer in a blob (product.md section 8)."""
SOURCE_BYTES = 5_000_000
"""One workflow module."""
