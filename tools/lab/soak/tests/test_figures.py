"""Percentiles, slopes, thresholds, and the page that shows them."""
import html.parser
import unittest

from soak import figures, measures, options, page

LIMITS = vars(options.Thresholds())
STATE = {"seed": "7", "place": "simulated", "adapters": [], "restarts": 0, "elapsed_s": 0, "timeout": 30,
         "sessions": [{"session": 1, "started": "a", "elapsed_s": 0}, {"session": 2, "started": "b", "elapsed_s": 50}],
         "choice": {"radios": ["simulated"], "channels": ["tunnel"], "kinds": ["sign-in"], "faults": [],
                    "fault_share": 0.35}}


def line(number, outcome="success", fault=None, took=1000.0, cause=None):
    return {"number": number, "elapsed_s": float(number), "kind": "sign-in", "radio": "simulated", "channel": "tunnel",
            "fault": fault and {"kind": fault, "role": "client", "stage": "start", "applied_ms": 1}, "outcome": outcome,
            "cause": cause, "took_ms": took,
            "stages": {"client": {"qrShown": 10.0, "closed": took}, "authenticator": {}},
            "capture": ["00000001.txt"] if outcome == "failure" else []}


def sample(seconds, kib, life="1/1", process="tunnel-service", descriptors=10):
    return {"process": process, "life": life, "elapsed_s": seconds, "anonymous_kib": kib, "resident_kib": kib,
            "descriptors": descriptors}


class FiguresTests(unittest.TestCase):
    def test_percentiles_are_values_that_were_measured(self):
        values = list(range(1, 1001))
        self.assertEqual([figures.percentile(values, quantile) for quantile in (50, 99, 99.9, 100)],
                         [500, 990, 999, 1000])
        self.assertEqual(figures.percentile([5], 99.9), 5)
        self.assertIsNone(figures.percentile([], 50))

    def test_a_slope_is_that_of_each_life(self):
        points = [("a", second, 1000 + 2 * second) for second in range(100)]
        points += [("b", 100 + second, 100 + 2 * second) for second in range(100)]
        self.assertAlmostEqual(measures.slope(points), 2)
        self.assertIsNone(measures.slope([("a", 1, 5)]))

    def test_a_leak_is_a_breach_and_warming_up_is_none(self):
        found = figures.Figures()
        for second in range(0, 1800, 15):
            found.add_sample(sample(second, 10_000 + 8 * second))
            found.add_sample(sample(second, 30_000 if second > 60 else 10_000, process="listener"))
        breaches = {breach.name: breach for breach in found.breaches(LIMITS, True)}
        self.assertAlmostEqual(breaches["memory-slope tunnel-service"].value, 8 * 3600 / 1024, places=3)
        self.assertFalse(breaches["memory-slope tunnel-service"].is_held)
        self.assertAlmostEqual(breaches["memory-slope listener"].value, 0)
        self.assertTrue(breaches["memory-slope listener"].is_held)

    def test_short_lives_say_nothing(self):
        found = figures.Figures()
        for second in range(0, 6000, 15):
            found.add_sample(sample(second, 10_000 + 100 * (second % 300), life=f"1/{second // 300}"))
        self.assertIsNone(found.slopes("tunnel-service")[0])

    def test_few_ceremonies_say_nothing_before_the_end(self):
        found = figures.Figures()
        found.add(line(1, "failure", cause="x"))
        self.assertTrue(all(breach.is_held for breach in found.breaches(LIMITS, False)))
        self.assertEqual([breach.name for breach in found.breaches(LIMITS, True) if not breach.is_held], ["failures"])

    def test_failures_under_a_fault_have_their_own_threshold(self):
        found = figures.Figures()
        for number in range(30):
            found.add(line(number, "failure" if number < 3 else "expected", "client-killed", cause="x"))
            found.add(line(100 + number, took=61_000.0))
        self.assertEqual([breach.name for breach in found.breaches(LIMITS, False) if not breach.is_held],
                         ["unexpected", "p99"])


class _Reader(html.parser.HTMLParser):
    """Checks that what is opened is closed."""
    EMPTY = ("meta", "line", "circle", "polyline")

    def __init__(self):
        super().__init__()
        self.open = []
        self.foreign = []

    def handle_starttag(self, tag, attributes):
        if tag not in self.EMPTY:
            self.open.append(tag)
        self.foreign += [value for name, value in attributes
                         if name in ("src", "href") and not value.startswith(("#", "captures/"))]
        if tag in ("script", "link", "img"):
            self.foreign.append(tag)

    def handle_startendtag(self, tag, attributes):
        """Nothing to close."""

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag


class PageTests(unittest.TestCase):
    def page(self, found):
        text = page.render(STATE, found, found.breaches(LIMITS, True))
        reader = _Reader()
        reader.feed(text)
        self.assertEqual((reader.open, reader.foreign), ([], []))
        return text

    def test_it_stands_alone_and_escapes_what_it_shows(self):
        found = figures.Figures()
        for number in range(1, 40):
            found.add(line(number))
            found.add_sample(sample(number * 30, 10_000))
        found.add(line(40, "failure", cause="<script>alert(1)</script>"))
        text = self.page(found)
        self.assertNotIn("<script", text)
        self.assertIn("&lt;script&gt;", text)
        self.assertIn("tools/lab/run soak --seed 7 --only 40 --simulated --channels tunnel --kinds sign-in --faults none",
                      text)

    def test_a_soak_without_anything_has_a_page(self):
        self.page(figures.Figures())
