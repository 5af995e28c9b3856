"""Rules that say of a response whether it is right, refuses, or notices what is false.

Each module is one set of rules, a class with the methods of `valor_rgb.rules.choice.Rules`.
"""
