import labelme
import pytest
from valor_testing import check_plugin

from valor_core import Registry, evaluate
from valor_core.errors import ReadError


@pytest.fixture
def registry():
    registry = Registry()
    registry.register("labelme", labelme)
    return registry


@pytest.fixture
def folders(request):
    folder = request.path.parent
    return {"groundtruths": folder / "truth", "predictions": folder / "found"}


def test_plugin_keeps_the_laws(folders):
    check_plugin(labelme, readers={"labelme.labelme": folders})


def test_ap_by_hand(registry, folders):
    # One of two cars is found, at IoU 80 / 100: the precision is 1 at the 51 of 101 recalls <= 0.5.
    data = {"reader": "labelme", **folders}
    report = evaluate(data, [{"name": "AP", "iou_thresholds": [0.8]}], registry=registry)
    assert report["AP", "car"].value == pytest.approx(51 / 101)
    assert report["AP", "sign"].value == pytest.approx(1)


def test_file_without_shapes_is_named(registry, folders, tmp_path):
    (tmp_path / "im0.json").write_text("[]")
    data = {"reader": "labelme", "groundtruths": tmp_path, "predictions": tmp_path}
    with pytest.raises(ReadError, match=r"im0\.json: expected a labelme file"):
        evaluate(data, ["AP"], registry=registry)
