"""Pictures of panels: their size, and the legend below them."""

from __future__ import annotations

import numpy as np
from valor_report import Panel, panel_sheet


def test_long_legend_continues_on_another_line() -> None:
    panel = Panel("true", np.zeros((4, 10, 3), np.uint8))
    legend = [("cat", "#ff0000"), ("dog", "#0000ff"), ("a label of many words", "#00ff00")]

    picture = panel_sheet([[panel]], (200, 80), legend)

    # A title, a panel, a gap, and two lines: 32 + 80 + 8 + 2 * 32.
    assert picture.size == (216, 184)
    pixels = np.asarray(picture)
    red, blue, green = (
        np.argwhere((pixels == color).all(axis=-1)).min(axis=0).tolist()
        for color in ((255, 0, 0), (0, 0, 255), (0, 255, 0))
    )
    assert red[0] == blue[0] == green[0] - 32
    assert red[1] == green[1] == 8
    assert 8 < blue[1] < 216


def test_panels_are_in_rows_below_their_titles() -> None:
    colors = [(255, 0, 0), (0, 255, 0), (0, 0, 255)]
    one, two, three = (Panel("", np.full((2, 4, 3), color, np.uint8)) for color in colors)

    pixels = np.asarray(panel_sheet([[one, two], [three]], (40, 20), []))

    assert pixels.shape == (2 * (32 + 20) + 8, 2 * (8 + 40) + 8, 3)
    places = [np.argwhere((pixels == color).all(axis=-1)) for color in colors]
    assert [found.min(axis=0).tolist() for found in places] == [[32, 8], [32, 56], [84, 8]]
    assert all(len(found) == 40 * 20 for found in places)
