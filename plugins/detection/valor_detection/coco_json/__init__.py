"""Scanners, records and ids of COCO's JSON."""
