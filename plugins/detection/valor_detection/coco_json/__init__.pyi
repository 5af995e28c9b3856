from valor_detection.coco_json.categories import Categories
from valor_detection.coco_json.masks import coco_masks
from valor_detection.coco_json.numbers import integer64
from valor_detection.coco_json.records import check_once
from valor_detection.coco_json.reference_scanner import scan, scan_records
from valor_detection.coco_json.text import Text

__all__ = [
    "Categories",
    "Text",
    "check_once",
    "coco_masks",
    "integer64",
    "scan",
    "scan_records",
]
