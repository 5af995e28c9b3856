"""COCO's JSON: scanners, records and ids."""
