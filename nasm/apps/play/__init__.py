"""The playground: a page to write and run programs on, here or in the browser's own Python."""
