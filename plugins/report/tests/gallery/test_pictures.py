from __future__ import annotations

from valor_report import Picture


def test_repr_of_picture_omits_bytes() -> None:
    assert repr(Picture(b"image", b"small", {"missed": 2})) == (
        "Picture(counts={'missed': 2}, notes=(), colors={}, wide=False)"
    )
