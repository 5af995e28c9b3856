"""How all tests run: Hypothesis sets no deadline, since a busy machine is no bug."""

from hypothesis import settings

settings.register_profile("valor", deadline=None)
settings.load_profile("valor")
