"""A stand-in for pycocotools: the same classes with the same numbers, from columns.

``from valor_detection.coco import COCO, COCOeval, mask`` takes the place of the three imports from
pycocotools. Everything is made when it is asked for: evaluating two files makes no Python object
of an annotation.

What is different, on purpose:

- Nothing but `COCOeval.summarize` prints, and what was given is never written to.
- A ground truth whose id is 0 is one like any other; pycocotools takes it as never found.
- Annotations that have the same id count each on its own; pycocotools counts the last one in place
  of all.
- Ids of images, categories and annotations are whole numbers of 64 bits; pycocotools takes strings
  as ids of images and categories as well. Scores, areas and boxes are finite numbers.
- Results on unknown images are an error that names them.
- Parameters that are changed after `COCOeval.evaluate` are taken as they stand, where pycocotools
  reads rows of other categories.
- IoU thresholds have to be above 0. Recall thresholds can be in any order.
- ``COCOeval.ious`` is not kept. Keypoints come in a later release.
- ``COCO.showAnns`` and ``COCO.download`` are not there; a gallery draws.
"""

from valor_detection.coco import mask
from valor_detection.coco.dataset import COCO
from valor_detection.coco.evaluation import COCOeval
from valor_detection.coco.settings import Params

__all__ = ["COCO", "COCOeval", "Params", "mask"]
