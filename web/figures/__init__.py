"""Live figures: settings from a URL, numbers from the tools, pictures as pure SVG."""
