"""A second target of a few instructions: what nasm must run without knowing it."""
