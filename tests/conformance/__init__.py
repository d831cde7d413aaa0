"""The conformance kit on every adapter that is here (rules O, T, D, H)."""
