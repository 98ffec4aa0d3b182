"""View models: frozen values for the templates, made from the domain. They know no request."""
