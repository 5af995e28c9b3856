from valor_detection.geometry.pixels import center_pixels, coco_pixels

__all__ = [
    "center_pixels",
    "coco_pixels",
]
