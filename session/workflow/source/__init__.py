"""What the text of a workflow file says, read without importing or running any of it.

Layers, bottom-up: `text` (bytes and places), `syntax` (tree-sitter), `expr`, `expressions` and
`bodies` (what is written), `facts` and `statements` (one top-level statement), `document` (one
version of one file), `graph`, `calls`, `bindings` and `assemble` (the workflow), `module` and
`library` (what a name means, in this file and those beside it), `types`, `outputs`, `schema` and
`prompts` (what a value can be, what is asked, how long a prompt is).

Whatever text cannot settle is unknown, and unknown silences the rules that would need it.
"""
