"""How much memory this process may come to hold: of the machine, of its container, by its own limits, or as asked."""

import math
import re
import resource
from pathlib import Path

MB = 1e6
_GROUPS = Path("/sys/fs/cgroup")


def room_mb() -> float:
    """What it holds now, and all that is left for it; infinite where nobody says."""
    status = _numbers(Path("/proc/self/status"))
    held = status.get("VmRSS", 0.0)
    left = [_numbers(Path("/proc/meminfo")).get("MemAvailable", math.inf), *_groups_left()]
    for limit, used in ((resource.RLIMIT_AS, "VmSize"), (resource.RLIMIT_DATA, "VmData")):
        soft, _ = resource.getrlimit(limit)
        if soft != resource.RLIM_INFINITY:
            left.append(soft / MB - status.get(used, 0.0))
    return held + max(0.0, min(left))


def _numbers(path: Path) -> dict[str, float]:
    """Lines like ``VmRSS:  1234 kB``, in megabytes; nothing where there is no such file."""
    try:
        text = path.read_text()
    except OSError:
        return {}
    return {name: int(kilobytes) * 1024 / MB for name, kilobytes in re.findall(r"(?m)^(\w+):\s+(\d+) kB", text)}


def _groups_left(groups: Path = _GROUPS, own: Path = Path("/proc/self/cgroup")) -> list[float]:
    """What is left in each control group that this process is in (version 2, and 1), up to the root."""
    try:
        lines = own.read_text().splitlines()
    except OSError:
        return []
    found = []
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controllers and "memory" not in controllers.split(","):
            continue
        top, names = (groups / "memory", _VERSION_1) if controllers else (groups, _VERSION_2)
        inside = top / path.lstrip("/")
        for group in (inside, *inside.parents):
            limit, used = (_whole(group / name) for name in names)
            if limit is not None and used is not None:
                found.append((limit - used + _reclaimable(group)) / MB)
            if group == top:
                break
    return found


_VERSION_1 = ("memory.limit_in_bytes", "memory.usage_in_bytes")
_VERSION_2 = ("memory.max", "memory.current")


def _whole(path: Path) -> int | None:
    try:
        text = path.read_text().strip()
    except OSError:
        return None
    return int(text) if text.isdigit() else None


def _reclaimable(group: Path) -> int:
    """Bytes of files that are only kept as long as nobody needs the room."""
    try:
        found = re.search(r"(?m)^(?:total_)?inactive_file (\d+)$", (group / "memory.stat").read_text())
    except OSError:
        return 0
    return int(found[1]) if found else 0
