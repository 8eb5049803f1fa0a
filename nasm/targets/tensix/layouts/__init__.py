"""Where everything is in the configuration, by generation."""
