"""Former location of `valor_evaluate`."""

from valor_core.packages import version_of, ways

_INSTALL = "" if version_of("valor-evaluate") else f"; install it with: {ways('valor-evaluate')}"

raise ImportError(f"valor_text.evaluate is now valor_evaluate{_INSTALL}")
