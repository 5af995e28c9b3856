"""A stand-in for pycocotools: the same classes with the same numbers, from columns.

``from valor_detection.coco import COCO, COCOeval`` takes the place of the two imports from
pycocotools. Everything is made when it is asked for: evaluating two files makes no Python object
of an annotation.

What is different, on purpose:

- Nothing but `COCOeval.summarize` prints, and what was given is never written to.
- A ground truth whose id is 0 is one like any other; pycocotools takes it as never found.
- Results on unknown images are an error that names them.
- Parameters that are changed after `COCOeval.evaluate` are taken as they stand, where pycocotools
  reads rows of other categories.
- IoU thresholds have to be above 0. Recall thresholds can be in any order.
- ``COCOeval.ious`` is not kept. Keypoints come in a later release.
"""

from valor_detection.coco.dataset import COCO
from valor_detection.coco.evaluation import COCOeval
from valor_detection.coco.settings import Params

__all__ = ["COCO", "COCOeval", "Params"]
