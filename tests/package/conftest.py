"""What all tests of the package share."""

from hypothesis import HealthCheck, settings

# a busy machine is no fault of the code: properties are not timed
settings.register_profile("book", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("book")
