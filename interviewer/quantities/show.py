"""Values with their units as people read them: '14.6 ms', '327,680 bytes', '92%', '$1.43'."""

_ATTACHED = frozenset({"%", "x"})
_LEADING = frozenset({"$", "€", "£"})


def show(value: float, unit: str = "") -> str:
    """A value to about four significant figures with its unit; whole numbers are kept whole."""
    number = _number(value)
    if unit in _ATTACHED:
        return f"{number}{unit}"
    sign, _, below = unit.partition("/")
    if sign in _LEADING:
        return f"{sign}{number}{'/' if below else ''}{below}"
    return f"{number} {unit}".rstrip()


def _number(value: float) -> str:
    size = abs(value)
    if size >= 1e13 or 0 < size < 1e-4:
        return f"{value:.4g}"
    if value == round(value) or size >= 1e4:
        return f"{value:,.0f}"
    places = 1 if size >= 1e3 else 2
    rounded = f"{value:,.{places}f}" if size >= 100 else f"{value:.4g}"
    return rounded.rstrip("0").rstrip(".") if "." in rounded else rounded
