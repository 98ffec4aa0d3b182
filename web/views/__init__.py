"""View models: frozen values that templates read. They know the domain, never a request or a template."""
