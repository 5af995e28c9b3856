"""Batches: many requests at once, which endpoints answer within a day at half the price."""
