"""What happens next: states, pure transitions, and the worker that evaluates author code."""
