"""Parameters that several readers have, each declared once."""

from __future__ import annotations

from valor_core.parameters import Within, parameter
from valor_core.schemas import DEFAULT_KEY
from valor_detection.parameters.policy import Policy


def label_key() -> str:
    """The key of all labels."""
    key: str = parameter(default=DEFAULT_KEY, help="Key of all labels.")
    return key


def invalid_geometry(shapes: str) -> Policy:
    """What becomes of shapes that cannot be right."""
    policy: Policy = parameter(
        default="error",
        help=f"What becomes of {shapes} that cannot be right, such as empty ones or, where the "
        "image's size is known, those outside it: error, repair mends what can be mended, skip "
        "leaves them out, accept computes with them unless they are inverted or not finite.",
    )
    return policy


def partition_images() -> int:
    """How many images a worker reads at a time."""
    count: int = parameter(
        default=2000, help="Number of images in the parts that workers read.", check=Within(1)
    )
    return count
