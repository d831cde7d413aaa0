"""Drawings of a workflow's chart: boxes in text, Mermaid, and SVG by Graphviz."""
