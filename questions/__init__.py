"""Question cards: files with a schema. A leaf: names tools and rubrics, but imports neither."""
