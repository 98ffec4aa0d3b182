"""The job market of forward deployed engineers: counts, pay, loops and questions, all dated."""
