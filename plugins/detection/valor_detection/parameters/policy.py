"""Policy for invalid geometries."""

from typing import Literal

Policy = Literal["error", "repair", "skip", "accept"]
"""What to do with invalid geometries: raise, repair, leave out, or compute with them."""
