"""Figures of models and GPUs with their sources; read by checkpoints and hardware only."""
