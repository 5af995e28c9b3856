"""Gallery of detection: images with their boxes and masks."""
