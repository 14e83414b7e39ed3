"""An independent reckoning of a site's load: one day and one ground unit at a time, in plain Python."""

import datetime
import itertools
from collections import defaultdict
from functools import cache

from sedcalc.factors.topography import profile_ls
from sedcalc.tables import table

DAY = datetime.timedelta(days=1)
CLASSES = ("clay", "silt", "small_aggregates", "large_aggregates", "sand")


@cache
def printed(zone):
    """Day of a common year and cumulative percent at its end, as the table prints them."""
    row = table("ei_distribution").row(zone)
    return [
        (datetime.date(2001, int(name[1:3]), int(name[4:6])).timetuple().tm_yday, value)
        for name, value in row.items()
        if name[0] == "d" and name[1:3].isdigit()
    ]


@cache
def cumulative_percent(zone, date):
    """Percent of annual EI through the end of a day, linear between the printed dates; Feb 29 repeats Feb 28."""
    day = datetime.date(2001, date.month, 28 if (date.month, date.day) == (2, 29) else date.day).timetuple().tm_yday
    points = printed(zone)
    for (d0, c0), (d1, c1) in itertools.pairwise(points):
        if d0 <= day <= d1:
            return c0 + (c1 - c0) * (day - d0) / (d1 - d0)
    raise AssertionError(date)


def day_share(zone, date):
    before = date - DAY
    share = cumulative_percent(zone, date) - cumulative_percent(zone, before)
    return (share + 100.0 if before.year < date.year else share) / 100.0


def same_date_next_year(date):
    try:
        return date.replace(year=date.year + 1)
    except ValueError:  # Feb 29
        return datetime.date(date.year + 1, 2, 28)


def growth_begins(sown):
    """Apr 15 for what is sown from Oct 15 to Apr 15, else the day of sowing."""
    if (sown.month, sown.day) >= (10, 15):
        return datetime.date(sown.year + 1, 4, 15)
    return max(sown, datetime.date(sown.year, 4, 15))


def c_on(cover, date):
    """C of a cover given by numbers, on a day."""
    grown = cover.establishes
    if grown is None:
        return cover.C
    begin = growth_begins(grown.sown)
    passed = min(max((date - begin).days / (grown.established - begin).days, 0.0), 1.0)
    return cover.C + (grown.C - cover.C) * passed


def carried(site, soil):
    """The classes of a soil's sediment; all of it as one where no practice works by class."""
    if all(p.class_efficiencies is None for p in site.practices):
        return [1.0]
    given = next(s.particle_classes for s in site.soils if s.id == soil)
    shares = [getattr(given, name) for name in CLASSES]
    return [s / sum(shares) for s in shares]


def caught(practice, mix):
    """Efficiencies of a practice for each class, what goes past it left out."""
    if practice.class_efficiencies is None:
        own = [practice.efficiency] * len(mix)
    else:
        own = [getattr(practice.class_efficiencies, name) for name in CLASSES]
    return [e * (1.0 - practice.bypass) for e in own]


def leaving(site, first, delivered, soil, date, sums):
    """Follow tons from one practice to the outfall; what each holds back is added to the sums."""
    mix = carried(site, soil)
    tons = [delivered * share for share in mix]
    best, here = 0.0, first
    while here is not None:
        if here.start <= date <= here.end:
            e = caught(here, mix)
            if site.combination != "particle-classes":  # one efficiency for all that is carried
                mean = sum(s * own for s, own in zip(mix, e, strict=True))
                e = [mean] * len(mix)
            if site.combination == "single-best":
                held = delivered * max(e[0] - best, 0.0)
                best = max(best, e[0])
                tons = [delivered * (1.0 - best)]
            else:
                held = sum(t * own for t, own in zip(tons, e, strict=True))
                tons = [t * (1.0 - own) for t, own in zip(tons, e, strict=True)]
            sums["trapped", here.id] += held
        here = next((x for x in site.practices if x.id == here.drains_to), None)
    return sum(tons)


def discharged(site, area, delivered, soil, date, sums):
    """Divide the tons of a drainage area among its practices; what none takes reaches the outfall."""
    rest, out = 1.0, 0.0
    for practice in site.practices:
        for drained in practice.drainage_areas:
            if drained.id == area:
                out += leaving(site, practice, delivered * drained.share, soil, date, sums)
                rest -= drained.share
    return out + delivered * rest


def reckon(site):
    """Return daily discharge by drainage area, sums, and (worst figure, start) by area and for the site (None)."""
    R, zone = site.location.R, site.location.ei_zone
    K = {s.id: s.K for s in site.soils}
    phases = sorted(site.phases, key=lambda p: p.start)
    named = {n for p in phases for n in p.units}
    units = [u for u in site.ground_units if u.id in named]
    begin = {u.id: min(p.start for p in phases if u.id in p.units) for u in units}
    first, last = min(begin.values()), max(u.stabilized for u in units)
    ratio = site.delivery.ratio if site.delivery else 1.0
    ls = {u.id: float(profile_ls(u.slope_pct, u.length).LS) for u in units}
    own = {u.id: [p for p in phases if u.id in p.units] for u in units}
    sums = defaultdict(float)
    daily = defaultdict(lambda: defaultdict(float))
    date = first
    while date <= last:
        share = day_share(zone, date)
        for u in units:
            if date < begin[u.id]:
                continue
            bare = R * share * K[u.soil] * ls[u.id] * u.area
            phase = [p for p in own[u.id] if p.start <= date][-1]
            if date > u.stabilized:
                c, p = c_on(u.final_cover, date), 1.0
            else:
                c = c_on(phase.cover, date)
                p = phase.surface_condition.P if phase.surface_condition else 1.0
            load = bare * c * p
            sums["eroded"] += load
            sums["baseline"] += bare * ratio
            out = discharged(site, u.drainage_area, load * ratio, u.soil, date, sums)
            sums["discharged"] += out
            daily[u.drainage_area][date] += out
        date += DAY
    return daily, sums, worst_windows(site, units, begin, first, last, daily)


def worst_windows(site, units, begin, first, last, daily):
    areas = [a.id for a in site.drainage_areas]
    days = [first + n * DAY for n in range((last - first).days + 1)]
    windows = [(d, e) for d in days if (e := same_date_next_year(d) - DAY) <= last] or [(first, last)]
    worst = {}
    for area in [*areas, None]:
        mine = [u for u in units if area in (None, u.drainage_area)]
        tons = [sum(daily[a].get(d, 0.0) for a in areas if area in (None, a)) for d in days]
        for start, end in windows:
            acres = sum(u.area for u in mine if begin[u.id] <= end and u.stabilized >= start)
            if acres == 0.0:
                continue
            figure = sum(tons[(start - first).days : (end - first).days + 1]) / acres
            if area not in worst or figure > worst[area][0] * (1 + 1e-12):
                worst[area] = (figure, start)
    return worst
