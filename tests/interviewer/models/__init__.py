"""Sizing, checking and watching a self-hosted model, without one."""
