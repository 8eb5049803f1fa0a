"""The assembler: text to trees, trees to programs, and what programs say must hold."""
