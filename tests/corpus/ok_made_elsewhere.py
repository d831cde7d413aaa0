"""A workflow that a function of another package makes."""

from elsewhere import make

wf = make("ok-made-elsewhere")
