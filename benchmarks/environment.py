"""The environment in which benchmarks start pitboss."""

import os

#: With nothing kept from earlier runs, which would be measured instead.
WITHOUT_KEPT = {**os.environ, "PITBOSS_WITHOUT": f"{os.environ.get('PITBOSS_WITHOUT', '')} kept"}
