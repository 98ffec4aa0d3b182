"""The pages."""

from fastapi import FastAPI


def mount(app: FastAPI) -> None:
    """Add the pages, their static files and their downloads to the application."""
