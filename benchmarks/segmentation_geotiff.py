"""Peak memory of counting a pair of GeoTIFFs that are larger than it.

    python benchmarks/segmentation_geotiff.py --side 30000 --data rasters
    python benchmarks/segmentation_geotiff.py --side 30000 --data rasters --metrics BoundaryIOU

Needs valor-segmentation[raster]. The rasters are made once and kept: one in compressed tiles of
512 by 512 pixels, the other in compressed strips of seven rows.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import rasterio
from rasterio.windows import Window

LABELS = ("field", "forest", "road", "town", "water")
METRICS = ("IOU", "mIOU", "Precision", "Recall", "F1", "Accuracy", "Counts", "ConfusionMatrix")
TILES = {"tiled": True, "blockxsize": 512, "blockysize": 512, "compress": "deflate"}
STRIPS = {"blockysize": 7, "compress": "lzw"}
NODATA = 255


def made(path: Path, side: int, shift: int, profile: dict[str, Any]) -> None:
    """A raster of rectangles, `shift` pixels to the left, with a margin that has no data."""
    if path.exists():
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    kind = {"height": side, "width": side, "count": 1, "dtype": "uint8", "nodata": NODATA}
    place = {"crs": "EPSG:32632", "transform": rasterio.Affine(1, 0, 500_000, 0, -1, 6_000_000)}
    columns = np.arange(side)
    with (
        rasterio.Env(GDAL_CACHEMAX=64),
        rasterio.open(path, "w", driver="GTiff", **kind, **place, **profile) as target,
    ):
        for first in range(0, side, 512):
            rows = np.arange(first, min(first + 512, side))
            values = (rows[:, None] // 700 + (columns + shift) // 900) % (len(LABELS) + 1)
            values[:, : side // 300] = NODATA if shift == 0 else 0
            window = Window(0, first, side, len(rows))
            target.write(values.astype(np.uint8), 1, window=window)


def measured(folder: Path, workspace: Path, metrics: Sequence[str]) -> tuple[float, float]:
    """Seconds and megabytes at the peak of a process that runs Valor from a config."""
    data = {"reader": "segmentation.geotiff", "labels": LABELS}
    data |= {side: str(folder / side) for side in ("groundtruths", "predictions")}
    config = {"task": "segmentation", "data": data, "metrics": metrics}
    path = workspace / "config.json"
    path.write_text(json.dumps(config | {"output": str(workspace / "report.json")}))
    start = time.perf_counter()
    command = [sys.executable, "-m", "valor_core", "run", str(path)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    seconds = time.perf_counter() - start
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
    return seconds, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / unit


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--side", type=int, default=30_000, help="pixels of a side")
    parser.add_argument("--data", type=Path, help="folder that keeps the rasters")
    parser.add_argument("--metrics", nargs="+", default=METRICS, help="what is evaluated")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as workspace:
        folder = (chosen.data or Path(workspace)).absolute() / str(chosen.side)
        made(folder / "groundtruths" / "scene.tif", chosen.side, 0, TILES)
        made(folder / "predictions" / "scene.tif", chosen.side, 60, STRIPS)
        seconds, megabytes = measured(folder, Path(workspace), chosen.metrics)
    pixels = chosen.side**2
    print(f"pair of {chosen.side:,} x {chosen.side:,} pixels, {2 * pixels / 1e6:,.0f} MB of them")
    print(f"{seconds:.1f} s, {pixels / seconds:.2g} pixels a second, all of the process")
    print(f"{megabytes:,.0f} MB at the peak")


if __name__ == "__main__":
    main()
