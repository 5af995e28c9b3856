"""Geometry: conversion between kinds of shapes, overlaps, and what to do with invalid ones."""
