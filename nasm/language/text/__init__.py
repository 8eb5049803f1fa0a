"""Text to trees: logical lines, the grammar, blocks, and what is wrong with a line."""
