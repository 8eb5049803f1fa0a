"""The parts of a session: what belongs together of what can be asked of it, or done to it."""
