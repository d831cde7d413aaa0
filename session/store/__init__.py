"""What is remembered: the only room that contains SQL."""
