"""Memory and descriptors of processes, and how they change."""
import pathlib


def sample(pid):
    """Private memory and resident memory in KiB, and open descriptors, of a process; None if it is gone."""
    place = pathlib.Path("/proc", str(pid))
    try:
        status = dict(line.split(":", 1) for line in (place / "status").read_text(encoding="ascii").splitlines()
                      if ":" in line)
        descriptors = sum(1 for _ in (place / "fd").iterdir())
        return {"anonymous_kib": int(status["RssAnon"].split()[0]), "resident_kib": int(status["VmRSS"].split()[0]),
                "descriptors": descriptors, "threads": int(status["Threads"])}
    except (OSError, KeyError, ValueError):
        return None


def slope(points):
    """The change for each second, by least squares over several lives of a process: [(life, seconds, value)].

    Each life has a level of its own, so a process that is started anew does not count as one that gave memory back.
    None where there is too little to say.
    """
    lives = {}
    for life, seconds, value in points:
        lives.setdefault(life, []).append((seconds, value))
    above = below = 0.0
    for values in lives.values():
        mean_time = sum(seconds for seconds, _ in values) / len(values)
        mean = sum(value for _, value in values) / len(values)
        above += sum((seconds - mean_time) * (value - mean) for seconds, value in values)
        below += sum((seconds - mean_time) ** 2 for seconds, _ in values)
    return above / below if below > 0 else None


def settled(points, warm_up):
    """Without the beginning of each life: [(life, seconds, value)], in order."""
    begun = {}
    for life, seconds, _ in points:
        begun.setdefault(life, seconds)
    return [point for point in points if point[1] - begun[point[0]] >= warm_up]
