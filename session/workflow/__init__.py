"""What a workflow is: the author's API, its compiled graph, contracts, discovery, sources."""
