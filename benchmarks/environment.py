"""The environment in which benchmarks start pitboss."""

import os

#: Without the cache, which would be measured instead. Versions before 0.3 call it `kept`.
WITHOUT_CACHE = {**os.environ, "PITBOSS_WITHOUT": f"{os.environ.get('PITBOSS_WITHOUT', '')} kept cache"}
