"""What an editor is told of workflow files: pure functions over one version of one document.

Bottom-up: `places` (lines and columns as an editor counts), `opened` (one version of a file with
its source model), `desk` (the files that are open now), `scope` (which Python name is which),
`mentions` (every place that names a node, mount, exit or workflow), `cursor` (what is being
typed). The language server's features stand on these; nothing here is imported or run (S1).
"""
