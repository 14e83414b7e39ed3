"""Random construction sites."""

import datetime

from hypothesis import strategies as st

from builders import practice, site_data
from load.day_by_day import CLASSES, growth_begins

EPOCH = datetime.date(2027, 1, 1)


def iso(day):
    return (EPOCH + datetime.timedelta(days=day)).isoformat()


def amounts(highest):
    """Numbers from 0; a site has none between 0 and 1e-9."""
    return st.floats(0.0, highest).map(lambda value: value if value >= 1e-9 else 0.0)


@st.composite
def covers(draw, days, highest=1.0):
    """A cover with its C; some grow in after sowing."""
    cover = {"C": draw(amounts(highest)), "source": "t"}
    if draw(st.integers(0, 3)) == 0:
        sown = EPOCH + datetime.timedelta(days=draw(st.integers(0, days)))
        grown = growth_begins(sown) + datetime.timedelta(days=draw(st.integers(1, 120)))
        cover["establishes"] = {
            "sown": sown.isoformat(),
            "established": grown.isoformat(),
            "C": draw(amounts(highest)),
            "source": "t",
        }
    return cover


def by_class(draw, numbers):
    return {name: draw(numbers) for name in CLASSES} | {"source": "t"}


@st.composite
def sites(draw, years=3):
    """Sites of one to three drainage areas with units, phases and practices that come and go."""
    days = 365 * years + 1
    areas = [f"A{i}" for i in range(draw(st.integers(1, 3)))]
    combination = draw(st.sampled_from(["series", "series", "single-best", "particle-classes"]))
    classes = combination == "particle-classes" or (combination == "series" and draw(st.booleans()))
    soils = [{"id": name, "K": k, "K_source": "t"} for name, k in (("loam", 0.3), ("clay", 0.2))]
    if classes:
        for soil in soils:
            shares = draw(st.lists(st.floats(0.01, 1.0), min_size=5, max_size=5))
            given = {name: s / sum(shares) for name, s in zip(CLASSES, shares, strict=True)}
            soil["particle_classes"] = given | {"source": "t"}
    zone = draw(st.sampled_from([84, 101, 111, 120]))
    data = site_data(
        drainage_areas=[{"id": a, "outfall": f"out {a}"} for a in areas],
        location={"R": draw(st.floats(50, 300)), "R_source": "t", "ei_zone": zone},
        soils=soils,
        combination=combination,
        ground_units=[],
        phases=[],
        practices=[],
    )
    if draw(st.booleans()):
        data["delivery"] = {"ratio": draw(st.floats(0.1, 1.0)), "source": "t"}
    for n in range(draw(st.integers(1, 4))):
        cuts = sorted(draw(st.lists(st.integers(0, days), min_size=3, max_size=7, unique=True)))
        phases = [(cuts[i], cuts[i + 1] - 1) for i in range(0, len(cuts) - 2, draw(st.sampled_from([1, 2])))]
        for k, (a, b) in enumerate(phases):
            phase = {"id": f"p{n}.{k}", "start": iso(a), "end": iso(b), "units": [f"u{n}"], "cover": draw(covers(days))}
            if draw(st.booleans()):
                phase["surface_condition"] = {"P": draw(st.floats(0.5, 1.3)), "source": "t"}
            data["phases"].append(phase)
        data["ground_units"].append(
            {
                "id": f"u{n}",
                "drainage_area": draw(st.sampled_from(areas)),
                "soil": draw(st.sampled_from(["loam", "clay"])),
                "area": draw(st.floats(0.1, 10.0)),
                "slope_pct": draw(amounts(40.0)),
                "length": draw(st.floats(15.0, 500.0)),
                "stabilized": iso(cuts[-1]),
                "final_cover": draw(covers(days, 0.1)),
            }
        )
    data["practices"] = draw(networks(areas, days, combination, classes))
    return data


@st.composite
def networks(draw, areas, days, combination, classes):
    """Practices that form a tree, each with shares of the drainage areas that others have left."""
    ids = [f"t{i}" for i in range(draw(st.integers(0, 4)))]
    left = dict.fromkeys(areas, 1.0)
    made = []
    for i, name in enumerate(ids):
        below = draw(st.sampled_from([None, *ids[i + 1 :]]))
        takes = []
        for area in areas:
            if left[area] == 1.0 and draw(st.booleans()):
                takes.append(area)
                left[area] = 0.0
            elif left[area] > 0.1 and draw(st.booleans()):
                share = draw(st.floats(0.05, 1.0)) * left[area]
                takes.append({"id": area, "share": share})
                left[area] -= share
        if not takes and not any(p["drains_to"] == name for p in made):
            continue
        start = draw(st.integers(-30, days))
        one = practice(
            name,
            draw(st.floats(0.0, 1.0)),
            drainage_areas=takes,
            drains_to=below,
            start=iso(start),
            end=iso(start + draw(st.integers(0, days))),
        )
        if draw(st.booleans()):
            one["bypass"] = draw(st.floats(0.0, 1.0))
        if classes and (combination == "particle-classes" or draw(st.booleans())):
            one |= {"efficiency": None, "source": None}
            one["class_efficiencies"] = by_class(draw, st.floats(0.0, 1.0))
        made.append(one)
    kept = {p["id"] for p in made}
    for one in made:
        one["drains_to"] = one["drains_to"] if one["drains_to"] in kept else None
    return made
