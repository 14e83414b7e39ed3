"""Surfaces with a known answer, and slow, plain versions of filling and routing to compare with."""

import heapq
import math

import numpy as np

from sedcalc.terrain.grid import Grid, grid_from_array

STEPS = [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)]
ROOT2 = math.sqrt(2.0)


def as_grid(z, cell=1.0, **kwargs) -> Grid:
    rows = z.shape[0]
    return grid_from_array(
        z, (cell, 0, 0, 0, -cell, rows * cell), xy_unit_m=kwargs.pop("xy_unit_m", 1.0), z_unit_m=1.0, **kwargs
    )


def plane(rows, cols, cell, slope, aspect=0.0, dtype=np.float64):
    """Elevation of a plane that falls `slope` (rise over run) towards `aspect`, radians from south to east."""
    y, x = np.mgrid[0:rows, 0:cols].astype(np.float64) * cell
    return (200.0 - slope * (x * math.sin(aspect) + y * math.cos(aspect))).astype(dtype)


def neighbours(z, r, c):
    for k, (dr, dc) in enumerate(STEPS):
        i, j = r + dr, c + dc
        if 0 <= i < z.shape[0] and 0 <= j < z.shape[1] and not np.isnan(z[i, j]):
            yield k, i, j


def border(z):
    """Cells on the edge or beside nodata, by definition."""
    out = np.zeros(z.shape, bool)
    for r, c in np.argwhere(~np.isnan(z)):
        out[r, c] = len(list(neighbours(z, r, c))) < 8
    return out


def outside(w):
    """Nodata that reaches the edge of the array from cell to cell, on the array with a frame around it."""
    wide = np.pad(np.isnan(w), 1, constant_values=True)
    out, more = np.zeros(wide.shape, bool), [(0, 0)]
    while more:
        r, c = more.pop()
        if 0 <= r < wide.shape[0] and 0 <= c < wide.shape[1] and wide[r, c] and not out[r, c]:
            out[r, c] = True
            more += [(r + i, c + j) for i, j in STEPS]
    return out


def outlets(z):
    """Cells where water can leave: on the edge, or beside nodata that reaches it."""
    out = outside(z)
    found = np.zeros(z.shape, bool)
    for r, c in np.argwhere(~np.isnan(z)):
        found[r, c] = any(out[r + i + 1, c + j + 1] for i, j in STEPS)
    return found


def filled(z, seeds=()):
    """Lower every cell from infinity until nothing changes (Planchon and Darboux 2002, with no slope added)."""
    edge = outlets(z)
    for r, c in seeds:
        edge[r, c] = True
    w = np.where(edge, z, np.where(np.isnan(z), np.nan, np.inf))
    changed = True
    while changed:
        changed = False
        for r, c in np.argwhere(~np.isnan(z)):
            if w[r, c] > z[r, c]:
                level = max(z[r, c], min(w[i, j] for _, i, j in neighbours(z, r, c)))
                if level < w[r, c]:
                    w[r, c] = level
                    changed = True
    return w


def flooded(z):
    """The same by flooding from the border, the lowest cell first (Barnes et al. 2014), which is quicker."""
    w = z.copy()
    heap = [(z[r, c], r, c) for r, c in np.argwhere(outlets(z))]
    heapq.heapify(heap)
    done = outlets(z) | np.isnan(z)
    while heap:
        level, r, c = heapq.heappop(heap)
        for _, i, j in neighbours(z, r, c):
            if not done[i, j]:
                done[i, j] = True
                w[i, j] = max(z[i, j], level)
                heapq.heappush(heap, (w[i, j], i, j))
    return w


def flat_levels(w):
    """Steps from each cell without a lower neighbour to the outlet of its flat; 0 for all others."""
    edge = outlets(w)
    level = np.zeros(w.shape, int)
    flat = {
        (r, c)
        for r, c in map(tuple, np.argwhere(~np.isnan(w)))
        if not edge[r, c] and not any(w[i, j] < w[r, c] for _, i, j in neighbours(w, r, c))
    }
    known = {(r, c) for r, c in map(tuple, np.argwhere(~np.isnan(w)))} - flat
    step = 0
    while True:
        step += 1
        reached = {
            (r, c)
            for r, c in flat - known
            if any(w[i, j] == w[r, c] and (i, j) in known for _, i, j in neighbours(w, r, c))
        }
        if not reached:
            return level, flat
        for r, c in reached:
            level[r, c] = step
        known |= reached


def gradient(w, r, c):
    """Rise per cell to the south and to the east: Horn's weights on what pairs of the nine cells there are.

    With too few of them, the plane through the cell that misses its neighbours least, cardinal ones counted twice.
    """

    def there(i, j):
        return 0 <= i < w.shape[0] and 0 <= j < w.shape[1] and not np.isnan(w[i, j])

    rises = {"south": [], "east": []}
    for line in (-1, 0, 1):
        for step in (-1, 0):
            for name, a, b in (
                ("south", (r + step, c + line), (r + step + 1, c + line)),
                ("east", (r + line, c + step), (r + line, c + step + 1)),
            ):
                if there(*a) and there(*b):
                    rises[name].append((w[b] - w[a], 2 - abs(line)))
    if rises["south"] and rises["east"]:
        return [sum(w * rise for rise, w in pairs) / sum(w for _, w in pairs) for pairs in rises.values()]
    near = [(i - r, j - c, w[i, j] - w[r, c]) for _, i, j in neighbours(w, r, c)]
    if not near:
        return 0.0, 0.0
    weight = np.sqrt([2.0 if di == 0 or dj == 0 else 1.0 for di, dj, _ in near])
    steps = np.array([(di, dj) for di, dj, _ in near]) * weight[:, None]
    return np.linalg.lstsq(steps, np.array([rise for *_, rise in near]) * weight, rcond=None)[0]


def over_edge(w, out, r, c, routing):
    """Share of a cell's water that leaves over the edge, were the ground beyond the plane of its gradient.

    Of the neighbours beyond each gets its share on that plane, less what it would send back; with two receivers, or
    one, they lie beside the direction of fall.
    """
    south, east = gradient(w, r, c)
    if max(abs(south), abs(east)) < 1e-9:
        return 0.0
    gone = {(i, j): out[r + i + 1, c + j + 1] for i, j in STEPS}
    if routing in ("d8", "dinf"):
        angle = math.degrees(math.atan2(-east, -south)) % 360 % 360  # from south to east
        lower = int(angle // 45)
        ways = [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1), (1, 0)]
        part = angle / 45 - lower
        over = gone[ways[lower]] * (1 - part) + gone[ways[lower + 1]] * part
        return float(over > 0.5) if routing == "d8" else over
    power, diagonal = {"mfd": (1, 1), "mfd-freeman": (1.1, 1), "mfd-quinn": (1, 1 / ROOT2)}[routing]

    def weight(i, j):
        slope = max(-south * i - east * j, 0.0) / (ROOT2 if i and j else 1.0)
        return slope**power * (diagonal if i and j else 1.0)

    net = sum(weight(i, j) - weight(-i, -j) for i, j in STEPS if gone[i, j])
    return max(net, 0.0) / sum(weight(i, j) for i, j in STEPS)


def shares(w, level, flat, r, c, routing):
    """Receivers of a cell and the share of each, by the definition of the method."""
    fall = {}
    for k, i, j in neighbours(w, r, c):
        if w[i, j] < w[r, c]:
            fall[k] = w[r, c] - w[i, j]
        elif (r, c) in flat and w[i, j] == w[r, c] and level[r, c] > 0 and level[i, j] == level[r, c] - 1:
            fall[k] = 1.0
    if not fall:
        return {}
    slope = {k: d / (ROOT2 if STEPS[k][0] and STEPS[k][1] else 1.0) for k, d in fall.items()}
    if routing == "d8":
        return {max(slope, key=lambda k: (slope[k], -k)): 1.0}
    if routing == "dinf":
        return _facet_shares(w, r, c, slope)
    weight = {
        "mfd": lambda k: slope[k],
        "mfd-freeman": lambda k: slope[k] ** 1.1,
        "mfd-quinn": lambda k: slope[k] * (0.5 / ROOT2 if STEPS[k][0] and STEPS[k][1] else 0.5),
    }[routing]
    total = sum(weight(k) for k in slope)
    return {k: weight(k) / total for k in slope}


def passed_on(w, out, level, flat, r, c, routing):
    """Receivers of a cell and the share of each, less what leaves over the edge."""
    over = over_edge(w, out, r, c, routing) if min(r, c) == 0 or border(w[r - 1 : r + 2, c - 1 : c + 2])[1, 1] else 0.0
    return {k: (1 - over) * share for k, share in shares(w, level, flat, r, c, routing).items() if over < 1}


def _facet_shares(w, r, c, slope):
    """Tarboton (1997), equations 1 to 5, on the eight facets."""
    edge = max(slope, key=lambda k: (slope[k], -k))
    best, answer = slope[edge], {edge: 1.0}
    for cardinal, diagonal in [(1, 0), (1, 2), (3, 0), (3, 5), (4, 2), (4, 7), (6, 5), (6, 7)]:
        near = [(r + STEPS[k][0], c + STEPS[k][1]) for k in (cardinal, diagonal)]
        if any(not (0 <= i < w.shape[0] and 0 <= j < w.shape[1]) or np.isnan(w[i, j]) for i, j in near):
            continue
        s1 = w[r, c] - w[near[0]]
        s2 = w[near[0]] - w[near[1]]
        angle, s = math.atan2(s2, s1), math.hypot(s1, s2)
        # Beyond 0 and 45 degrees the steepest direction is an edge of the facet, which is a candidate already.
        if 0 < angle < math.pi / 4 and s > best:
            best = s
            share = angle / (math.pi / 4)
            answer = {cardinal: 1 - share, diagonal: share}
    return answer


def area_in(w, routing, cell_area=1.0, stops=None, outlets=False):
    """Area that drains into each cell, adding up from the highest cell down."""
    level, flat = flat_levels(w)
    edge, out = border(w), outside(w)
    order = sorted(map(tuple, np.argwhere(~np.isnan(w))), key=lambda rc: (-w[rc], -level[rc]))
    area = np.where(np.isnan(w), np.nan, 0.0)
    for r, c in order:
        if (stops is not None and stops[r, c]) or (outlets and edge[r, c]):
            continue
        for k, share in passed_on(w, out, level, flat, r, c, routing).items():
            area[r + STEPS[k][0], c + STEPS[k][1]] += share * (area[r, c] + cell_area)
    return area


def rough(seed, rows=14, cols=17, holes=True, decimals=None, dtype=np.float64):
    """A random surface, with a hole of nodata, with flats where elevations are rounded."""
    rng = np.random.default_rng(seed)
    z = rng.random((rows, cols)) * 5 + np.arange(rows)[:, None] * 0.4
    if decimals is not None:
        z = z.round(decimals)
    if holes:
        z[4:6, 7:10] = np.nan
        z[rows - 1, 2] = np.nan
    return z.astype(dtype)
