"""Debugging: what a session can do beside running a program to its end."""
