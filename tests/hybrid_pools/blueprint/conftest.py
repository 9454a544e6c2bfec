"""How many examples the properties of this folder try. No deadline: a busy machine is no fault of what is tested."""

from hypothesis import settings

settings.register_profile("blueprint", deadline=None, max_examples=40)
settings.load_profile("blueprint")
