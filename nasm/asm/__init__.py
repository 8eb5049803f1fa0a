"""Text to programs: parse, expand, place, check."""
