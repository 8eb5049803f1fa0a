"""What people start: the command, the prompt, the language server, notebooks, pytest."""
