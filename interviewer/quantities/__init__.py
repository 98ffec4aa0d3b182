"""Quantities in spoken or typed English, with their spans in the original text. Knows no cards."""

from interviewer.quantities.find import Quantity, find_quantities
from interviewer.quantities.units import Unit, parse_unit

__all__ = ["Quantity", "Unit", "find_quantities", "parse_unit"]
