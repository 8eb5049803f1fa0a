"""Debugging: what a session can do in addition to running a program to its end."""
