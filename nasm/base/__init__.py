"""Places in texts, diagnostics, files, signals, memory limits, dtypes, exact arithmetic."""
