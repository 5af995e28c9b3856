"""Two folders of PNG images are known as label images, the ground truths first."""

from __future__ import annotations

from valor_segmentation.readers import recognized


def test_two_folders_of_png_images_are_label_images(tmp_path):
    folders = tmp_path / "truth", tmp_path / "guess"
    for folder in folders:
        folder.mkdir()
        (folder / "a.png").write_bytes(b"")

    known = recognized.png(folders)

    assert known.data == {"groundtruths": str(folders[0]), "predictions": str(folders[1])}


def test_a_folder_without_images_is_not(tmp_path):
    assert recognized.png((tmp_path, tmp_path)) is None
    assert recognized.png((tmp_path,)) is None
