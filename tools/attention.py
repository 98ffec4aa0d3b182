"""FLOPs of attention over a prompt: query-key pairs per kind of layer, times the heads' widths."""

from tools.architecture import Architecture, CachedLayers


def seen(group: CachedLayers, position: float) -> float:
    """Keys that all queries up to `position` see together, causally: half a square, or less."""
    window = group.topk if group.window is None else group.window
    if window is None or position <= window:
        return position * position / 2
    if group.kind == "chunked":
        whole, rest = divmod(position, window)
        return whole * window * window / 2 + rest * rest / 2
    return window * window / 2 + window * (position - window)


def pairs(group: CachedLayers, tokens: int, cached: int) -> float:
    """Query-key pairs of one layer for `tokens` new tokens after `cached` ones."""
    return seen(group, cached + tokens) - seen(group, cached)


def attention_flops(shape: Architecture, tokens: int, cached: int = 0) -> float:
    """FLOPs of both products (QK and PV), two per multiply-add, over all layers that attend."""
    return sum(
        group.layers * 2 * shape.heads * pair_width(shape, group) * pairs(group, tokens, cached)
        for group in shape.cached
    )


def pair_width(shape: Architecture, group: CachedLayers) -> int:
    """Multiply-adds per head for one query-key pair: key width plus value width."""
    return shape.qk_width + shape.v_width if group.latent else group.width
