from __future__ import annotations

from valor_report import Picture


def test_a_picture_does_not_print_its_bytes() -> None:
    assert repr(Picture(b"image", b"small", {"missed": 2})) == (
        "Picture(counts={'missed': 2}, notes=(), colors={}, wide=False)"
    )
