"""Help while a workflow is written: each method of the editor in one file, from text only."""
