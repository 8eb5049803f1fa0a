"""Text to trees: logical lines, the grammar, blocks, and the errors of a line."""
