from __future__ import annotations

from importlib import metadata

from valor_core.specs.extensions import GROUP, claims


def test_entry_points_match_standard_library() -> None:
    found = {
        (entry.name, entry.value, entry.dist.name, entry.dist.version)
        for entry in metadata.entry_points(group=GROUP)
        if entry.dist is not None
    }

    kept = {(one.namespace, one.module, one.distribution, one.version) for one in claims()}

    assert kept == found
    assert len(kept) >= 5
