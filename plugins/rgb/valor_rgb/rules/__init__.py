"""Rules that decide if a response is correct, refuses, or detects an error in the documents.

Each module is one set of rules, a class with the methods of `valor_rgb.rules.choice.Rules`.
"""
