"""Makes the generated pages; docs/generate.py writes them."""
