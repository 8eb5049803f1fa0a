"""Trees to calls of the builder: expressions, declarations, loops and instruction lines."""
