"""Drop-in replacement for pycocotools: the same classes and numbers, computed from columns.

``from valor_detection.coco import COCO, COCOeval, mask`` replaces the three imports from
pycocotools. Objects are created lazily: evaluating two files creates no Python object per
annotation.

Deliberate differences from pycocotools:

- Only `COCOeval.summarize` prints. Arguments are never modified.
- A ground truth with id 0 can be matched; pycocotools counts it as missed.
- Annotations with the same id count separately; pycocotools counts only the last one.
- Ids of images, categories and annotations are 64-bit integers; pycocotools also accepts strings
  as ids of images and categories. Scores, areas and boxes are finite numbers.
- Results on unknown images raise an error that names them.
- Parameters changed after `COCOeval.evaluate` apply as set; pycocotools then reads rows of other
  categories.
- IoU thresholds have to be above 0. Recall thresholds can be in any order.
- ``COCOeval.ious`` is not stored.
- Keypoints without ``num_keypoints`` are counted; pycocotools raises an error.
- ``COCO.showAnns`` and ``COCO.download`` are missing; use a gallery to draw images.
"""

from valor_detection.coco import mask
from valor_detection.coco.dataset import COCO
from valor_detection.coco.evaluation import COCOeval
from valor_detection.coco.settings import Params

__all__ = ["COCO", "COCOeval", "Params", "mask"]
