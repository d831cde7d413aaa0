"""What the text of a workflow file says, read without importing or running any of it.

Layers, bottom-up: `text` (bytes and places), `syntax` (tree-sitter), `expr` and `expressions`,
`facts` and `statements` (one top-level statement), `bodies` (one callback), `document` (one
version of one file), `library` (the files beside it), `scope` (what a name means), `types`
(what a value can be), `graph` and `assemble` (the workflow). Whatever text cannot settle is
unknown, and unknown silences the rules that would need it.
"""
