"""Which bytes an instruction touches, and between which events: from its row alone."""
