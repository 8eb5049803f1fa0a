"""Values and memories: what expressions are now, maps, pictures, differences, files."""
