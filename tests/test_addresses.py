"""Install lines of pages: before publication, with an address of the repository, and after."""

from __future__ import annotations

import importlib.util
from importlib.metadata import version
from pathlib import Path
from types import ModuleType

import pytest
from cases import for_each

from valor_core import packages

ROOT = Path(__file__).parent.parent
ADDRESS = "https://example.org/valor"
FILES = "-r requirements/cli.txt -r requirements/segmentation.txt"
FROM_FILES = f"python -m pip install {FILES}"
WITH_UV = "In an environment made by uv, which has no pip: `uv pip install"


@pytest.fixture(scope="module")
def addresses() -> ModuleType:
    spec = importlib.util.spec_from_file_location("addresses", ROOT / "docs" / "addresses.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_unpublished_packages_are_installed_in_a_clone(
    addresses: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packages, "PUBLISHED", False)
    monkeypatch.setattr(packages, "REPOSITORY", "")

    text = addresses.installation("cli", "segmentation")

    assert "the package index does not have" in text.lower()
    assert text.endswith(f"\n\n```sh\n{FROM_FILES}\n```\n\n{WITH_UV} {FILES}`.")
    assert addresses.repository() == addresses.PLACEHOLDER
    extra = addresses.installation("text[nltk]")
    assert "pip install -r requirements/text.txt -e 'plugins/text[nltk]'\n" in extra


def test_repository_is_cloned_by_install_lines(
    addresses: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packages, "PUBLISHED", False)
    monkeypatch.setattr(packages, "REPOSITORY", ADDRESS)

    text = addresses.installation("cli", "segmentation")

    assert text.endswith(
        f"```sh\ngit clone {ADDRESS} valor && cd valor\n{FROM_FILES}\n```\n\n{WITH_UV} {FILES}`."
    )
    assert addresses.repository() == ADDRESS


@for_each(
    "stem, requirement",
    [
        ("core", "valor-core"),
        ("cli", "valor-cli"),
        ("rgb", "valor-rgb"),
        ("text[nltk]", "'valor-text[nltk]'"),
        ("segmentation", "'valor-segmentation[coco,images,raster,distance]'"),
    ],
)
def check_published(stem: str, requirement: str, addresses: ModuleType) -> None:
    block = f"```sh\npython -m pip install {requirement}\n```"
    assert addresses.installation(stem) == f"{block}\n\n{WITH_UV} {requirement}`."


def test_published_packages_are_installed_with_extras_of_requirements_file(
    addresses: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packages, "PUBLISHED", True)
    monkeypatch.setattr(packages, "REPOSITORY", ADDRESS)

    check_published(addresses=addresses)


@pytest.mark.parametrize(
    ("published", "repository", "action"),
    [
        (False, "", "OWNER/valor/plugins/hosts/action@main"),
        (False, "https://github.com/lab/valor.git", "lab/valor/plugins/hosts/action@main"),
        (True, "https://github.com/lab/valor", "lab/valor/plugins/hosts/action@v0.1.0"),
    ],
)
def test_workflow_uses_action_of_repository(
    published: bool,
    repository: str,
    action: str,
    addresses: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(packages, "PUBLISHED", published)
    monkeypatch.setattr(packages, "REPOSITORY", repository)

    assert f"- uses: {action.replace('0.1.0', version('valor-core'))}\n" in addresses.workflow()
