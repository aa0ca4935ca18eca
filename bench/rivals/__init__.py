"""Other crawlers, each with its own script, requirements and virtual environment."""
