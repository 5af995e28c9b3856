"""Scenes of circles, squares and triangles among clutter, and where the shapes are in them."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from PIL import Image, ImageChops, ImageDraw

WIDTH, HEIGHT = 192, 144
SHAPES = ("circle", "square", "triangle")
CORNERS = {"circle": 28, "square": 4, "triangle": 3}
LIGHTS = ("day", "dusk")

Point = tuple[float, float]


class Thing(NamedTuple):
    """A shape in a scene: its name, and its outline."""

    name: str
    outline: list[Point]


class Scene(NamedTuple):
    """An image, its light, and what is in it."""

    image: Image.Image
    light: str
    things: list[Thing]


def scene(random: np.random.Generator) -> Scene:
    """A scene of two to seven shapes, some of which cover others or are cut by the frame."""
    light = LIGHTS[int(random.random() < 0.4)]
    ground = np.array([214, 206, 190]) if light == "day" else np.array([70, 72, 92])
    image = Image.new("RGB", (WIDTH, HEIGHT), tuple(ground))
    pen = ImageDraw.Draw(image)
    for _ in range(random.integers(3, 8)):
        clutter(pen, ground, random)
    things: list[Thing] = []
    for _ in range(random.integers(2, 8)):
        found = thing(random)
        if all(hidden(found, other) < 0.45 for other in things):
            pen.polygon(found.outline, fill=color(ground, random, least=45))
            things.append(found)
    for _ in range(random.integers(0, 3)):
        twig(pen, ground, random)
    pixels = np.asarray(image).astype(float)
    pixels += random.normal(0, 7 if light == "day" else 14, pixels.shape)
    noisy = Image.fromarray(pixels.clip(0, 255).astype(np.uint8))
    return Scene(
        noisy.quantize(48, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE), light, things
    )


def thing(random: np.random.Generator) -> Thing:
    """A shape of any size, turned by any angle, its center in the frame."""
    name = SHAPES[random.integers(len(SHAPES))]
    count, radius = CORNERS[name], random.uniform(9, 26)
    x, y = random.uniform(4, WIDTH - 4), random.uniform(4, HEIGHT - 4)
    turn, squeeze = random.uniform(0, 2 * math.pi), random.uniform(0.85, 1)
    angles = [turn + 2 * math.pi * i / count for i in range(count)]
    corners = [(x + radius * math.cos(a), y + radius * squeeze * math.sin(a)) for a in angles]
    return Thing(name, [(round(a, 1), round(b, 1)) for a, b in corners])


def color(ground: np.ndarray, random: np.random.Generator, least: float) -> tuple[int, ...]:
    """A color that differs from the ground by at least so much."""
    while True:
        found = random.integers(20, 236, 3)
        if np.abs(found - ground).mean() >= least:
            return tuple(found.tolist())


def clutter(pen: ImageDraw.ImageDraw, ground: np.ndarray, random: np.random.Generator) -> None:
    """A pebble or a patch behind the shapes."""
    x, y = random.uniform(0, WIDTH), random.uniform(0, HEIGHT)
    wide, high = random.uniform(3, 22), random.uniform(3, 9)
    near = tuple((ground + random.integers(-75, 76, 3)).clip(0, 255).tolist())
    pen.ellipse((x - wide, y - high, x + wide, y + high), fill=near)


def twig(pen: ImageDraw.ImageDraw, ground: np.ndarray, random: np.random.Generator) -> None:
    """A line before the shapes, which cuts some of them in two."""
    start, end = ((random.uniform(0, WIDTH), random.uniform(0, HEIGHT)) for _ in range(2))
    pen.line([start, end], fill=tuple((ground * 0.97).astype(int).tolist()), width=2)


def mask(outline: list[Point]) -> Image.Image:
    """The pixels inside an outline."""
    image = Image.new("1", (WIDTH, HEIGHT))
    ImageDraw.Draw(image).polygon(outline, fill=1)
    return image


def hidden(front: Thing, back: Thing) -> float:
    """Share of a shape that another one covers."""
    behind = mask(back.outline)
    both = np.asarray(ImageChops.logical_and(mask(front.outline), behind)).sum()
    return float(both) / max(np.asarray(behind).sum(), 1)
