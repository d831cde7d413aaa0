"""End-to-end: real programs, scripted models on loopback, nothing else."""
