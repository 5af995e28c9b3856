"""The drop-in replacement for pycocotools gives the same numbers, bit by bit."""

from __future__ import annotations

import contextlib
import copy
import gzip
import io
import json
import math
import re
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from cases import for_each
from pycocotools import coco as theirs
from pycocotools import mask as their_masks
from pycocotools.cocoeval import COCOeval as TheirEval
from valor_detection.coco import COCO, COCOeval, Params

from valor_core.errors import ConfigError, ReadError
from valor_core.schemas.geometry.run_lengths import runs_of

SETS = 20


def random_set(rng, *, masks=False, big=False):
    count, kinds = int(rng.integers(1, 6)), int(rng.integers(1, 4))
    images = (rng.permutation(50)[:count] + 1).tolist()
    categories = (rng.permutation(20)[:kinds] + 1).tolist()
    grid = float(rng.choice([0.1, 1, 5, 20]))

    def box():
        start = rng.integers(0, 150, 2) // grid * grid
        size = (rng.integers(0, 120, 2) // grid + rng.integers(0, 2, 2) + masks) * grid
        return [float(value) for value in (*start, *size)]

    truths = []
    for number in range(int(rng.integers(1, 30))):
        one = {
            "id": number + 1,
            "image_id": images[rng.integers(count)],
            "category_id": categories[rng.integers(kinds)],
            "bbox": box(),
            "iscrowd": int(rng.random() < 0.15),
        }
        one["area"] = one["bbox"][2] * one["bbox"][3] * float(rng.choice([1, 0.8]))
        if masks:
            one["segmentation"] = segmentation(rng, one["bbox"])
        truths.append(one)
    results = []
    for _ in range(int(rng.integers(1, 500 if big else 60))):
        if rng.random() < 0.6:
            like = truths[rng.integers(len(truths))]
            moved = np.array(like["bbox"]) + rng.integers(-1, 2, 4) * grid * (rng.random() < 0.6)
            moved[:2], moved[2:] = np.maximum(moved[:2], 0), np.abs(moved[2:])
            one = {"image_id": like["image_id"], "category_id": like["category_id"]}
            one |= {"bbox": moved.tolist(), "score": int(rng.integers(0, 20)) / 20}
        else:
            one = {"image_id": images[rng.integers(count)]}
            one |= {"category_id": categories[rng.integers(kinds)], "bbox": box()}
            one["score"] = float(np.round(rng.random(), 2))
        if masks:
            one["segmentation"] = segmentation(rng, one["bbox"], compressed=True)
        results.append(one)
    if masks and rng.random() < 0.5:
        for one in results:
            del one["bbox"]
    size = {"height": 320, "width": 300}
    dataset = {
        "images": [{"id": number, **size} for number in images],
        "categories": [{"id": number, "name": f"c{number}"} for number in categories],
        "annotations": truths,
    }
    return dataset, results


def segmentation(rng, box, *, compressed=False):
    x, y, width, height = box
    corners = [x, y, x + width, y, x + width, y + height, x, y + height / 2]
    kind = "text" if compressed else rng.choice(["polygon", "runs", "text"])
    if kind == "polygon":
        return [corners, [x, y, x + 3, y, x + 3, y + 9]]
    rle = their_masks.merge(their_masks.frPyObjects([corners], 320, 300))
    if kind == "text":
        return {"size": rle["size"], "counts": rle["counts"].decode()}
    return {"size": rle["size"], "counts": runs_of(rle["counts"]).tolist()}


def change_of(rng, dataset):
    """Random changes of parameters."""
    images = [one["id"] for one in dataset["images"]]
    categories = [one["id"] for one in dataset["categories"]]
    choices = {
        "imgIds": rng.permutation(images)[: rng.integers(1, len(images) + 1)].tolist(),
        "catIds": rng.permutation(categories)[: rng.integers(1, len(categories) + 1)].tolist(),
        "iouThrs": np.sort(rng.choice([0.05, 0.3, 0.5, 0.6, 0.7, 0.75, 0.8, 0.9, 1.0], 4)),
        "recThrs": np.sort(rng.choice(np.linspace(0, 1.1, 23), 7)),
        "maxDets": rng.choice([1, 2, 3, 10, 100, 300], 3, replace=False).tolist(),
        "areaRng": [[0, 1e10], [0, 500], [500, 4000.5], [4000.5, 1e10], [20, 30]],
        "useCats": 0,
    }
    wanted = rng.permutation(list(choices))[: rng.integers(1, 5)]
    return {name: choices[name] for name in wanted}


def evaluated(classes, dataset, results, iou_type, change):
    make, evaluator = classes
    dataset, results = copy.deepcopy((dataset, results))
    text = io.StringIO()
    with contextlib.redirect_stdout(io.StringIO()):
        truths = make()
        truths.dataset = dataset
        truths.createIndex()
        evaluation = evaluator(truths, truths.loadRes(results), iou_type)
        for name, value in change.items():
            setattr(evaluation.params, name, copy.deepcopy(value))
        evaluation.evaluate()
        evaluation.accumulate()
    with contextlib.redirect_stdout(text):
        evaluation.summarize()
    return evaluation, text.getvalue()


OURS, THEIRS = (COCO, COCOeval), (theirs.COCO, TheirEval)


def check(dataset, results, iou_type, change=None):
    ours, printed = evaluated(OURS, dataset, results, iou_type, change or {})
    other, expected = evaluated(THEIRS, dataset, results, iou_type, change or {})
    for name in ("precision", "recall", "scores"):
        assert ours.eval[name].shape == other.eval[name].shape
        assert np.array_equal(ours.eval[name], other.eval[name]), (name, change)
    assert ours.eval["counts"] == other.eval["counts"]
    assert ours.stats.tolist() == other.stats.tolist()
    assert printed == expected
    return ours, other


@pytest.mark.parametrize("seed", range(8))
def test_results_of_boxes_equal_pycocotools_bit_by_bit(seed):
    rng = np.random.default_rng([seed, 1])
    for _ in range(SETS):
        check(*random_set(rng, big=rng.random() < 0.2), "bbox")


@for_each("seed", range(12))
def test_results_of_changed_parameters_equal_pycocotools_bit_by_bit(seed):
    rng = np.random.default_rng([seed, 2])
    for _ in range(SETS):
        dataset, results = random_set(rng, big=rng.random() < 0.2)
        check(dataset, results, "bbox", change_of(rng, dataset))


@pytest.mark.parametrize("counts", [[0, 1, 5], [0, 0, 1]])
def test_no_detections_have_no_score(counts):
    dataset, results = random_set(np.random.default_rng(4))
    check(dataset, results, "bbox", {"maxDets": counts})


@pytest.mark.parametrize("seed", range(6))
def test_results_of_masks_equal_pycocotools_bit_by_bit(seed):
    rng = np.random.default_rng([seed, 3])
    for _ in range(SETS // 2):
        dataset, results = random_set(rng, masks=True)
        change = change_of(rng, dataset) if rng.random() < 0.5 else {}
        check(dataset, results, "segm", change)
        check(dataset, results, "bbox", change)


@pytest.mark.parametrize("seed", range(6))
def test_results_per_image_equal_pycocotools(seed):
    rng = np.random.default_rng([seed, 4])
    for _ in range(5):
        dataset, results = random_set(rng)
        change = change_of(rng, dataset) if rng.random() < 0.6 else {}
        ours, other = check(dataset, results, "bbox", change)
        assert len(ours.evalImgs) == len(other.evalImgs)
        for mine, one in zip(ours.evalImgs, other.evalImgs, strict=True):
            assert (mine is None) == (one is None)
            if mine is None:
                continue
            assert mine.keys() == one.keys()
            for key, value in mine.items():
                assert np.array_equal(value, one[key]), key


@pytest.mark.parametrize("iou_type", ["bbox", "segm"])
@pytest.mark.parametrize("seed", range(4))
def test_ious_per_image_equal_pycocotools(seed, iou_type):
    rng = np.random.default_rng([seed, 5])
    compared = 0
    for use_cats in (0, 1):
        for most in (3, 100):
            change = {"useCats": use_cats, "maxDets": [1, 2, most]}
            data = random_set(rng, masks=iou_type == "segm")
            ours, other = (evaluated(own, *data, iou_type, change)[0] for own in (OURS, THEIRS))
            for (image, category), expected in other.ious.items():
                found = ours.computeIoU(image, category)
                assert np.shape(found) == np.shape(expected)
                assert np.array_equal(found, expected)
                compared += len(expected) > 1
    assert compared > 5


def written(tmp_path, dataset, results):
    truths, found = tmp_path / "truths.json", tmp_path / "results.json"
    truths.write_text(json.dumps(dataset))
    found.write_text(json.dumps(results))
    return str(truths), str(found)


def numbers(evaluation):
    with contextlib.redirect_stdout(io.StringIO()):
        evaluation.evaluate()
        evaluation.accumulate()
        evaluation.summarize()
    return evaluation.stats.tolist(), evaluation.eval["scores"].tolist()


@pytest.mark.parametrize("iou_type", ["bbox", "segm"])
def test_files_lists_and_objects_of_pycocotools_give_the_same_numbers(tmp_path, iou_type):
    rng = np.random.default_rng(5)
    for _ in range(4):
        dataset, results = random_set(rng, masks=True)
        truths, found = written(tmp_path, dataset, results)
        coco = COCO(truths)
        of_files = numbers(COCOeval(coco, coco.loadRes(found), iou_type))
        assert numbers(COCOeval(coco, coco.loadRes(results), iou_type)) == of_files
        as_objects = COCO(truths)
        predicted = as_objects.loadRes(found)
        assert len(as_objects.anns) == len(dataset["annotations"])
        assert len(predicted.anns) == len(results)
        assert numbers(COCOeval(as_objects, predicted, iou_type)) == of_files
        with contextlib.redirect_stdout(io.StringIO()):
            other = theirs.COCO(truths)
            predicted = other.loadRes(found)
        assert numbers(COCOeval(other, predicted, iou_type)) == of_files
        assert numbers(TheirEval(other, predicted, iou_type)) == of_files


def test_gzipped_files_give_the_same_numbers(tmp_path):
    plain = written(tmp_path, *random_set(np.random.default_rng(6)))
    packed = [f"{path}.gz" for path in plain]
    for path, name in zip(plain, packed, strict=True):
        Path(name).write_bytes(gzip.compress(Path(path).read_bytes()))
    of_plain, of_packed = (COCO(plain[0]), plain[1]), (COCO(packed[0]), packed[1])
    one, other = (
        numbers(COCOeval(coco, coco.loadRes(found), "bbox"))
        for coco, found in (of_plain, of_packed)
    )
    assert one == other
    assert of_packed[0].anns == of_plain[0].anns


def test_files_create_objects_of_annotations_on_access_only(tmp_path, monkeypatch):
    truths, found = written(tmp_path, *random_set(np.random.default_rng(6)))
    monkeypatch.setattr(COCO, "_objects", None)
    coco = COCO(truths)
    predicted = coco.loadRes(found)
    numbers(COCOeval(coco, predicted, "bbox"))
    assert coco.getAnnIds()
    assert predicted.getAnnIds()
    assert coco.loadImgs(coco.getImgIds()[:1])
    assert coco.loadCats(coco.getCatIds())
    with pytest.raises(TypeError):
        _ = coco.anns


def test_array_of_results_gives_the_same_numbers_as_a_list():
    rng = np.random.default_rng(7)
    dataset, results = random_set(rng)
    rows = [[r["image_id"], *r["bbox"], r["score"], r["category_id"]] for r in results]
    coco = COCO()
    coco.dataset = dataset
    of_list = numbers(COCOeval(coco, coco.loadRes(results), "bbox"))
    predicted = coco.loadRes(np.array(rows))
    assert numbers(COCOeval(coco, predicted, "bbox")) == of_list
    assert predicted.anns[1]["bbox"] == results[0]["bbox"]
    assert numbers(COCOeval(coco, predicted, "bbox")) == of_list


@pytest.mark.parametrize("from_file", [False, True])
def test_look_ups_equal_pycocotools(tmp_path, from_file):
    rng = np.random.default_rng(8)
    dataset, results = random_set(rng, masks=True)
    for category in dataset["categories"]:
        category["supercategory"] = "thing" if category["id"] % 2 else "stuff"
    truths, found = written(tmp_path, dataset, results)
    with contextlib.redirect_stdout(io.StringIO()):
        other = theirs.COCO(truths)
        other_predicted = other.loadRes(found)
    coco = COCO(truths)
    if not from_file:
        coco = COCO()
        coco.dataset = dataset
        coco.createIndex()
    predicted = coco.loadRes(found if from_file else results)
    images, categories = coco.getImgIds(), coco.getCatIds()
    assert images == other.getImgIds()
    assert categories == other.getCatIds()
    filters = [
        {},
        {"imgIds": images[:2]},
        {"imgIds": images[0]},
        {"imgIds": images[::-1], "catIds": categories[0]},
        {"catIds": categories, "areaRng": [100, 5000]},
        {"iscrowd": True},
        {"iscrowd": 0, "imgIds": [images[-1], 1000]},
    ]
    for one in filters:
        assert coco.getAnnIds(**one) == other.getAnnIds(**one)
        assert predicted.getAnnIds(**one) == other_predicted.getAnnIds(**one)
    assert coco.getCatIds(catNms=["c1", "c2"]) == other.getCatIds(catNms=["c1", "c2"])
    assert coco.getCatIds(supNms="thing") == other.getCatIds(supNms="thing")
    for one in ({"catIds": categories[:1]}, {"catIds": categories}, {"imgIds": images[:1]}):
        assert sorted(coco.getImgIds(**one)) == sorted(other.getImgIds(**one))
    assert coco.loadAnns([1]) == other.loadAnns([1])
    assert coco.loadImgs(images[0]) == other.loadImgs(images[0])
    assert {k: len(v) for k, v in coco.imgToAnns.items()} == {
        k: len(v) for k, v in other.imgToAnns.items()
    }
    assert coco.catToImgs == other.catToImgs
    for number, one in predicted.anns.items():
        expected = other_predicted.anns[number]
        assert one["area"] == expected["area"]
        assert list(one["bbox"]) == list(expected["bbox"])


def test_masks_of_annotations_equal_pycocotools():
    dataset, _ = random_set(np.random.default_rng(9), masks=True)
    coco, other = COCO(), theirs.COCO()
    coco.dataset = other.dataset = dataset
    with contextlib.redirect_stdout(io.StringIO()):
        other.createIndex()
    for one in dataset["annotations"]:
        ours, expected = coco.annToRLE(one), other.annToRLE(one)
        assert list(ours["size"]) == list(expected["size"])
        assert runs_of(ours["counts"]).tolist() == runs_of(expected["counts"]).tolist()
        pixels = coco.annToMask(one)
        assert pixels.dtype == np.uint8
        assert pixels.sum() == their_masks.area(expected)


def test_arguments_are_not_modified():
    dataset, results = random_set(np.random.default_rng(10), masks=True)
    before = copy.deepcopy((dataset, results))
    evaluated_ours(dataset, results)
    assert (dataset, results) == before


def evaluated_ours(dataset, results, iou_type="segm"):
    coco = COCO()
    coco.dataset = dataset
    evaluation = COCOeval(coco, coco.loadRes(results), iou_type)
    return numbers(evaluation)


def test_a_changed_annotation_changes_the_numbers(tmp_path):
    one = {"id": 1, "image_id": 1, "category_id": 1, "bbox": [0, 0, 9, 9], "area": 81}
    dataset = {"images": [{"id": 1}], "categories": [{"id": 1, "name": "a"}], "annotations": [one]}
    predicted = [{"image_id": 1, "category_id": 1, "bbox": [0, 0, 9, 9], "score": 0.5}]
    truths, found = written(tmp_path, dataset, predicted)
    coco = COCO(truths)
    results = coco.loadRes(found)
    assert numbers(COCOeval(coco, results, "bbox"))[0][0] == pytest.approx(1)
    results.anns[1]["bbox"] = [20, 20, 9, 9]
    assert numbers(COCOeval(coco, results, "bbox"))[0][0] == 0


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("value", [1.5, math.nan])
def test_file_with_byte_order_mark_gives_the_same_objects(tmp_path, mark, value):
    dataset, results = random_set(np.random.default_rng(16))
    dataset["info"] = {"value": value}
    truths, found = written(tmp_path, dataset, results)
    for path in map(Path, (truths, found)):
        path.write_bytes(mark + path.read_bytes())
    coco = COCO(truths)
    predicted = coco.loadRes(found)
    assert repr(coco.dataset) == repr(dataset)
    assert [one["score"] for one in predicted.dataset["annotations"]] == [
        one["score"] for one in results
    ]


def test_ground_truth_with_id_0_can_be_matched():
    one = {"id": 0, "image_id": 1, "category_id": 1, "bbox": [0, 0, 9, 9], "area": 81}
    dataset = {"images": [{"id": 1}], "categories": [{"id": 1}], "annotations": [one]}
    predicted = [{"image_id": 1, "category_id": 1, "bbox": [0, 0, 9, 9], "score": 0.5}]
    assert evaluated_ours(dataset, predicted, "bbox")[0][0] == pytest.approx(1)


def test_empty_results_match_nothing():
    dataset, _ = random_set(np.random.default_rng(11))
    assert max(evaluated_ours(dataset, [], "bbox")[0]) == 0


def test_thresholds_and_recalls_can_be_in_any_order():
    dataset, results = random_set(np.random.default_rng(12))
    found = []
    for order in (slice(None), slice(None, None, -1)):
        coco = COCO()
        coco.dataset = dataset
        evaluation = COCOeval(coco, coco.loadRes(results), "bbox")
        evaluation.params.iouThrs = np.array([0.3, 0.5, 0.9])[order]
        evaluation.params.recThrs = np.array([0.0, 0.25, 0.5, 1.0])[order]
        numbers(evaluation)
        found.append(
            [evaluation.eval["precision"][order][:, order], evaluation.eval["recall"][order]]
        )
        assert evaluation.evalImgs[0] is None or evaluation.evalImgs[0]["dtMatches"].shape[0] == 3
    for first, second in zip(*found, strict=True):
        assert np.array_equal(first, second)


def test_results_per_image_survive_another_accumulate():
    dataset, results = random_set(np.random.default_rng(14), big=True)
    coco = COCO()
    coco.dataset = dataset
    evaluation = COCOeval(coco, coco.loadRes(results), "bbox")
    evaluation.evaluate()
    before = [one and one["dtMatches"].tolist() for one in evaluation.evalImgs]
    other = Params("bbox")
    other.imgIds, other.catIds = evaluation.params.imgIds, evaluation.params.catIds
    other.iouThrs = np.array([0.3])
    evaluation.accumulate(other)
    assert evaluation.eval["precision"].shape[0] == 1
    assert [one and one["dtMatches"].tolist() for one in evaluation.evalImgs] == before
    assert evaluation.evalImgs is evaluation.evalImgs  # looked up over and over


def test_accumulate_allocates_little_more_than_its_result(monkeypatch):
    monkeypatch.setattr("valor_core.kernels.threads.thread_count", lambda: 1)
    one = {"image_id": 1, "bbox": [0, 0, 9, 9], "area": 81}
    coco = COCO()
    coco.dataset = {
        "images": [{"id": 1}],
        "categories": [{"id": number} for number in range(1, 61)],
        "annotations": [one | {"id": number, "category_id": number} for number in range(1, 61)],
    }
    predicted = [one | {"score": 0.5, "category_id": number} for number in range(1, 61)]
    evaluation = COCOeval(coco, coco.loadRes(predicted), "bbox")
    evaluation.evaluate()
    tracemalloc.start()
    evaluation.accumulate()
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 1.5 * sum(evaluation.eval[name].nbytes for name in ("precision", "scores"))


def test_empty_recall_thresholds_give_empty_precisions():
    dataset, results = random_set(np.random.default_rng(15))
    found = []
    for own in (OURS, THEIRS):
        evaluation, _ = evaluated(own, dataset, results, "bbox", {"recThrs": np.empty(0)})
        found.append(evaluation.eval)
    for name in ("precision", "scores", "recall"):
        assert found[0][name].shape == found[1][name].shape
        assert np.array_equal(found[0][name], found[1][name])


@pytest.mark.parametrize(
    ("iou_type", "method", "message"),
    [
        ("keypoints", "computeIoU", "computeIoU: expected iouType 'bbox' or 'segm', got 'keypoi"),
        ("bbox", "computeOks", "computeOks: expected iouType 'keypoints', got 'bbox'"),
    ],
)
def test_overlap_of_another_kind_names_its_method(iou_type, method, message: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(message)):
        getattr(COCOeval(None, None, iou_type), method)(1, 1)


def test_unknown_kind_of_objects_is_rejected() -> None:
    message = "iouType: expected 'bbox', 'segm' or 'keypoints', got 'keypoint'"
    with pytest.raises(ConfigError, match=re.escape(message)):
        COCOeval(None, None, "keypoint")


@pytest.mark.parametrize("sigmas", [[], [0.1, 0], [[0.1]], [0.1, float("inf")]])
def test_invalid_sigmas_are_rejected(sigmas) -> None:
    coco = COCO()
    coco.dataset = {"images": [{"id": 1}], "categories": [{"id": 1}], "annotations": []}
    evaluation = COCOeval(coco, coco.loadRes([]), "keypoints")
    evaluation.params.kpt_oks_sigmas = sigmas
    with pytest.raises(ConfigError, match="kpt_oks_sigmas: expected numbers above 0, got"):
        evaluation.evaluate()


def test_steps_out_of_order_are_rejected():
    evaluation = COCOeval(None, None, "bbox")
    with pytest.raises(ConfigError, match=r"accumulate: call evaluate\(\) first"):
        evaluation.accumulate()
    with pytest.raises(ConfigError, match=r"summarize: call accumulate\(\) first"):
        evaluation.summarize()
    assert evaluation.evalImgs == []


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("iouThrs", [0.0, 0.5], "iouThrs: expected IoU thresholds above 0, got [0.0, 0.5]"),
        ("iouThrs", [], "iouThrs: expected IoU thresholds above 0, got []"),
        ("maxDets", [100], "maxDets: expected three numbers to summarize, got [100]"),
    ],
)
def test_invalid_parameters_are_rejected(name, value, message: str):
    dataset, results = random_set(np.random.default_rng(13))
    coco = COCO()
    coco.dataset = dataset
    evaluation = COCOeval(coco, coco.loadRes(results), "bbox")
    setattr(evaluation.params, name, value)
    with pytest.raises(ConfigError, match=re.escape(message)):
        numbers(evaluation)


ONE = {"image_id": 1, "category_id": 1, "bbox": [0, 0, 9, 9], "score": 0.5}


@pytest.mark.parametrize(
    ("results", "message"),
    [
        (
            [ONE, ONE | {"image_id": 9}],
            "results, results[1]: expected the image id of one of the 1 images of",
        ),
        (
            [{"image_id": 1, "category_id": 1}],
            "results, results[0]: expected a field 'score', found none",
        ),
        (
            [ONE | {"score": float("nan")}],
            "results, results[0], score: expected a finite number, found nan",
        ),
        (
            [ONE | {"bbox": [1, 2]}],
            "results, results[0], bbox: expected [x, y, width, height], found [1, 2]",
        ),
        (
            [ONE, ONE | {"bbox": [1, 2]}],
            "results, results[1], bbox: expected [x, y, width, height], found [1, 2]",
        ),
        ([ONE | {"image_id": "a"}], "results, results[0], image_id: expected a number, found 'a'"),
        (
            [ONE | {"category_id": 0.5}],
            "results, results[0], category_id: expected a whole number, found 0.5",
        ),
        (
            np.zeros((2, 6)),
            "results: expected rows of 7 numbers, got array of float64, shape (2, 6)",
        ),
        (
            np.full((1, 7), np.nan),
            "expected finite numbers, found [nan, nan, nan, nan, nan, nan, nan]",
        ),
        (5, "results: expected a path, a list or an array, got 5"),
    ],
)
def test_results_that_do_not_match_the_data_set_are_rejected(results, message: str):
    coco = COCO()
    coco.dataset = {"images": [{"id": 1}], "categories": [{"id": 1}], "annotations": []}
    with pytest.raises(ReadError, match=re.escape(message)):
        coco.loadRes(results)


def test_invalid_files_are_rejected(tmp_path):
    truths, found = written(tmp_path, *random_set(np.random.default_rng(14)))
    with pytest.raises(ReadError, match="no such file"):
        COCO(tmp_path / "missing.json")
    with pytest.raises(
        ReadError, match="expected a COCO data set with images, annotations and categories, found"
    ):
        COCO(found).getImgIds()
    with pytest.raises(ReadError, match=r"missing\.json: no such file"):
        COCO(truths).loadRes("missing.json")
    Path(found).write_text('{"predictions": []}')
    with pytest.raises(
        ReadError, match="expected a list of results, or a table that has them under"
    ):
        COCO(truths).loadRes(found).getAnnIds()


def test_missing_fields_are_named():
    one = {"id": 1, "image_id": 1, "category_id": 1, "area": 81}
    for iou_type in ("bbox", "segm"):
        coco = COCO()
        coco.dataset = {"images": [{"id": 1}], "categories": [{"id": 1}], "annotations": [one]}
        evaluation = COCOeval(coco, coco.loadRes([]), iou_type)
        with pytest.raises(ReadError, match=r"dataset, annotations\[0\]: expected a field"):
            evaluation.evaluate()


def test_info_is_printed(capsys):
    coco = COCO()
    coco.dataset = {"info": {"year": 2026}}
    coco.info()
    assert capsys.readouterr().out == "year: 2026\n"


@pytest.mark.parametrize("without", [{"annotations": []}, {}])
def test_results_are_read_for_data_set_without_annotations(tmp_path, without) -> None:
    data = {"images": [{"id": 1, "height": 9, "width": 9}], "categories": [{"id": 3, "name": "a"}]}
    results = [{"image_id": 1, "category_id": 3, "bbox": [0, 0, 4, 4], "score": 0.5}]
    (tmp_path / "gt.json").write_text(json.dumps(data | without))
    (tmp_path / "dt.json").write_text(json.dumps(results))
    found = []
    for make, evaluator in ((COCO, COCOeval), (theirs.COCO, TheirEval)):
        with contextlib.redirect_stdout(io.StringIO()):
            truths = make(str(tmp_path / "gt.json"))
            evaluation = evaluator(truths, truths.loadRes(str(tmp_path / "dt.json")), "bbox")
            evaluation.evaluate()
            evaluation.accumulate()
            evaluation.summarize()
        found.append((evaluation.stats.tolist(), len(evaluation.cocoDt.anns)))
    assert found[0] == found[1] == ([-1.0] * 12, 1)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("showAnns", "COCO.showAnns is not supported\nDraw images with: valor run … --gallery DIR"),
        ("download", "COCO.download is not supported\nDownload images with another program; "),
        ("showAns", "'COCO' object has no attribute 'showAns'"),
    ],
)
def test_missing_attribute_of_data_set_names_the_remedy(name, message) -> None:
    with pytest.raises(AttributeError) as error:
        getattr(COCO(), name)
    assert str(error.value).startswith(message)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "ious",
            "COCOeval.ious is not supported\n"
            "Compute the IoUs of one image and category: computeIoU(imgId, catId).",
        ),
        (
            "evaluateImg",
            "COCOeval.evaluateImg is not supported\nUse evalImgs for the results of each image.",
        ),
        ("evaluateIm", "'COCOeval' object has no attribute 'evaluateIm'"),
    ],
)
def test_missing_attribute_of_evaluation_names_the_remedy(name, message) -> None:
    with pytest.raises(AttributeError) as error:
        getattr(COCOeval(), name)
    assert str(error.value) == message


def test_categories_have_to_be_listed(tmp_path):
    dataset, results = random_set(np.random.default_rng(5))
    del dataset["categories"]
    truths = COCO()
    truths.dataset = dataset
    assert truths.cats == {}
    path = tmp_path / "gt.json"
    path.write_text(json.dumps(dataset), encoding="utf-8")
    for given in (truths, COCO(path)):
        for side in (given, given.loadRes(results)):
            with pytest.raises(ReadError, match="categories: expected a list, found none"):
                side.getCatIds()
        with pytest.raises(ReadError):
            COCOeval(given, given.loadRes(results), "bbox")


def test_annotations_with_the_same_id_count_separately():
    dataset = {
        "images": [{"id": 1}, {"id": 2}],
        "categories": [{"id": 1, "name": "dog"}],
        "annotations": [
            {"id": 7, "image_id": image, "category_id": 1, "bbox": [0, 0, 9, 9], "area": 81}
            for image in (1, 2)
        ],
    }
    predicted = {"category_id": 1, "bbox": [0, 0, 9, 9], "score": 0.5}
    results = [{"image_id": image, **predicted} for image in (1, 2)]
    truths = COCO()
    truths.dataset = dataset
    evaluation = COCOeval(truths, truths.loadRes(results), "bbox")
    evaluation.evaluate()
    evaluation.accumulate()
    assert evaluation.eval["recall"][:, 0, 0, 2].tolist() == [1.0] * 10


@pytest.mark.parametrize(
    ("field", "message"),
    [
        ("image_id", "results, results[0], image_id: expected a number, found 'a'"),
        ("category_id", "results, results[0], category_id: expected a number, found 'a'"),
    ],
)
def test_ids_are_whole_numbers(field, message: str):
    one = {"image_id": 1, "category_id": 1, "bbox": [0, 0, 9, 9], "score": 0.5, field: "a"}
    truths = COCO()
    truths.dataset = {"images": [{"id": 1}], "categories": [{"id": 1}], "annotations": []}
    with pytest.raises(ReadError, match=re.escape(message)):
        truths.loadRes([one])


def test_result_of_four_billion_rows_does_not_crash(tmp_path: Path) -> None:
    mask = {"size": [2**32, 1], "counts": [1, 5, 2]}
    truth = {"id": 1, "image_id": 1, "category_id": 1, "iscrowd": 0, "area": 5}
    dataset = {
        "images": [{"id": 1}],
        "categories": [{"id": 1, "name": "a"}],
        "annotations": [truth | {"segmentation": mask}],
    }
    (tmp_path / "gt.json").write_text(json.dumps(dataset), encoding="utf-8")
    truths = COCO(tmp_path / "gt.json")
    predicted = {"image_id": 1, "category_id": 1, "score": 0.5, "segmentation": mask}
    with pytest.raises(
        ReadError, match="expected an image of at most 2 billion pixels, found 4294967296 by 1"
    ):
        truths.loadRes([predicted]).dataset  # noqa: B018 - boxes and areas are made here
    with pytest.raises(
        ReadError, match="expected an image of at most 2 billion pixels, found 4294967296 by 1"
    ):
        COCOeval(truths, truths.loadRes([predicted]), "segm").evaluate()


@pytest.mark.parametrize("big", [2**63, 2**64, 10**40, -(2**63) - 1])
@pytest.mark.parametrize("field", ["id", "image_id", "category_id"])
def test_an_id_of_more_than_64_bits_is_named_with_its_annotation(big: int, field: str) -> None:
    truth = {"id": 1, "image_id": 1, "category_id": 1, "bbox": [0, 0, 4, 4], "area": 16}
    ours = COCO()
    ours.dataset = {
        "images": [{"id": 1, "height": 9, "width": 9}],
        "categories": [{"id": 1, "name": "a"}],
        "annotations": [truth, truth | {"id": 2, field: big}],
    }
    with pytest.raises(ReadError, match=r"dataset, annotations\[1\]"):
        ours.getAnnIds(imgIds=[1])


def test_an_image_id_of_more_than_64_bits_is_named() -> None:
    ours = COCO()
    ours.dataset = {
        "images": [{"id": 2**63, "height": 9, "width": 9}],
        "categories": [{"id": 1, "name": "a"}],
        "annotations": [],
    }
    result = {"image_id": 2**63, "category_id": 1, "bbox": [0, 0, 4, 4], "score": 0.5}
    with pytest.raises(ReadError, match="expected a whole number, found 9223372036854775808"):
        ours.loadRes([result])
    with pytest.raises(
        ConfigError, match=r"imgIds: expected 64-bit integers, got \[9223372036854775808\]"
    ):
        COCOeval(ours, ours, "bbox").evaluate()


def test_a_score_and_an_area_of_400_digits_are_named() -> None:
    one = {"image_id": 1, "category_id": 1, "bbox": [0, 0, 4, 4], "score": 10**400}
    ours = COCO()
    ours.dataset = {"images": [{"id": 1}], "categories": [{"id": 1, "name": "a"}]}
    with pytest.raises(ReadError, match="expected a finite number, found"):
        ours.loadRes([one])


def test_an_id_in_an_array_that_has_no_64_bits_is_named() -> None:
    ours = COCO()
    ours.dataset = {"images": [{"id": 1}], "categories": [{"id": 1, "name": "a"}]}
    with pytest.raises(
        ReadError,
        match=r"results\[1\]: expected an image and a category id of 64 bits, found \[1\.0,",
    ):
        ours.loadRes(np.array([[1, 0, 0, 4, 4, 0.5, 1], [1, 0, 0, 4, 4, 0.5, 1e300]]))
