from builders import built, day, site_data
from sedcalc.site.idle import idle_gaps, stockpiles
from sedcalc.site.schedule import schedule

BARE, MULCH = {"C": 1.0, "source": "t"}, {"C": 0.1, "source": "t"}


def phase(id, start, end, cover=None, **changes):
    return {"id": id, "start": start, "end": end, "units": ["u1"], "cover": cover or BARE} | changes


def told(stretches):
    return [(s.unit, str(s.first_day), str(s.last_day), s.days, [x.cover.C for x in s.spans]) for s in stretches]


def site(*phases, **unit):
    data = site_data(phases=list(phases))
    data["ground_units"][0] |= {"stabilized": "2027-12-31"} | unit
    return built(data)


def test_ground_rests_between_phases_and_before_its_stabilization():
    own = site(phase("one", "2027-04-01", "2027-04-30"), phase("two", "2027-05-16", "2027-11-30", MULCH))
    assert told(idle_gaps(own, schedule(own))) == [
        ("u1", "2027-05-01", "2027-05-15", 15, [1.0]),
        ("u1", "2027-12-01", "2027-12-31", 31, [0.1]),
    ]


def test_an_idle_phase_lays_its_cover_on_its_first_day():
    own = site(
        phase("one", "2027-04-01", "2027-04-30"),
        phase("rest", "2027-05-11", "2027-08-31", MULCH, idle=True),
        phase("two", "2027-09-01", "2027-12-31"),
    )
    # Ten bare days, then mulch: one rest of 123 days, mulched from the eleventh.
    (gap,) = idle_gaps(own, schedule(own))
    assert told([gap]) == [("u1", "2027-05-01", "2027-08-31", 123, [1.0, 0.1])]
    assert gap.spans[1].start == day("2027-05-11")


def test_phases_that_follow_each_other_leave_no_rest():
    own = site(phase("one", "2027-04-01", "2027-04-30"), phase("two", "2027-05-01", "2027-12-31"))
    assert idle_gaps(own, schedule(own)) == ()


def test_stockpiles_last_until_the_next_phase():
    own = site(
        phase("pile", "2027-04-01", "2027-04-05", stockpile=True),
        phase("more", "2027-04-06", "2027-04-07", stockpile=True),
        phase("spread", "2027-04-11", "2027-05-31"),
    )
    assert told(stockpiles(own, schedule(own))) == [("u1", "2027-04-01", "2027-04-10", 10, [1.0, 1.0, 1.0])]
