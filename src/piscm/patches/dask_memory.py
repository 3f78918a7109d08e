"""Whether pieces of work fit into the memory of Dask's workers.

What a worker holds beyond its limit Dask puts on the disk. One piece of work cannot be put there: a
worker that begins it pauses, and ends if it takes still more.
"""

import math
from collections.abc import Iterable
from typing import Any

from piscm.patches.district import District
from piscm.patches.patch import ROWS_AT_ONCE, Patch
from piscm.problem.errors import ProblemError

# Arrays of the size of a patch's rows that are alive while it is factored.
_ALIVE = 3


def check_room(client: Any, districts: Iterable[District]) -> None:
    """Refuse districts that no worker can hold, and workers whose memory is full already."""
    # Workers that are lost meanwhile are not asked.
    rooms: list[float] = list(client.run(room_there, on_error="ignore").values())
    if not rooms:  # workers are still to come
        return
    if max(rooms) <= 0:
        raise ProblemError(
            "All Dask workers are paused: their memory is full. Start them with a higher "
            "--memory-limit, or restart them."
        )
    needed = max(map(_bytes, districts))
    if needed > max(rooms):
        raise ProblemError(
            f"Neighboring patches take {needed / 1e6:.0f} MB together, and a Dask worker pauses "
            f"at {max(rooms) / 1e6:.0f} MB: take fewer nodes in more patches, or workers with a "
            "higher --memory-limit."
        )


def room_there(dask_worker: Any) -> float:
    """Bytes at which a worker pauses, on that worker; none if it does now."""
    manager = dask_worker.memory_manager
    if dask_worker.status.name == "paused":
        return 0.0
    if not manager.memory_limit or not manager.memory_pause_fraction:
        return math.inf
    return float(manager.memory_limit * manager.memory_pause_fraction)


def _bytes(district: District) -> float:
    """What factors of a district take, and the rows of its largest patch."""
    fields = len(district.common.problem.fields)
    kept, working = 0.0, 0.0
    for patch in district.patches.values():
        columns = len(patch.nodes) * fields
        width = columns + sum(district.sizes[group] for group in patch.groups)
        kept += 8.0 * columns * width
        working = max(working, 8.0 * _ALIVE * (_rows(patch) + columns) * width)
    return kept + working


def _rows(patch: Patch) -> int:
    return min(sum(patch.points.rows), ROWS_AT_ONCE)
