"""Records turned into what a reader sees: tables, diagnostics, pages, traces, JSON."""
