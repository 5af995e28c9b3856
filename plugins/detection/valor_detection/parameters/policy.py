"""Policy for invalid geometries."""

from typing import Literal

Policy = Literal["error", "repair", "skip", "accept"]
"""Policy for invalid geometries: raise, repair, leave them out, or compute with them."""
