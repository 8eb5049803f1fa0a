"""The debug adapter."""
