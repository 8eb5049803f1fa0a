"""Helpers of the tests of the shell command."""
