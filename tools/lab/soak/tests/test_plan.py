"""What is drawn from a seed."""
import hashlib
import unittest

from soak import plan

CHOICE = plan.Choice(radios=("bluez", "kernel"))


class PlanTests(unittest.TestCase):
    def test_a_number_is_always_the_same_ceremony(self):
        text = repr([plan.draw("pinned", number, CHOICE) for number in range(1, 301)])
        # Other tables draw other ceremonies: then plan.VERSION goes up, and this changes with it.
        self.assertEqual((plan.VERSION, hashlib.sha256(text.encode()).hexdigest()[:16]), (1, "fef32aff295ef297"))

    def test_other_seeds_are_other_soaks(self):
        self.assertNotEqual([plan.draw("a", number, CHOICE) for number in range(20)],
                            [plan.draw("b", number, CHOICE) for number in range(20)])

    def test_everything_is_drawn(self):
        plans = [plan.draw("all", number, CHOICE) for number in range(1000)]
        self.assertEqual({each.kind for each in plans}, set(plan.KINDS))
        self.assertEqual({(each.radio, each.channel) for each in plans},
                         {(radio, channel) for radio in CHOICE.radios for channel in plan.CHANNELS})
        self.assertEqual({each.fault.kind for each in plans if each.fault}, set(plan.FAULTS))
        share = sum(each.fault is not None for each in plans) / len(plans)
        self.assertTrue(0.3 < share < 0.4, share)

    def test_a_fault_has_a_moment_that_the_ceremony_reaches(self):
        for number in range(1000):
            drawn = plan.draw("moments", number, CHOICE)
            if drawn.is_linked:
                self.assertEqual(drawn.channel, "tunnel")
            if drawn.fault is None:
                continue
            if drawn.fault.kind == "service-restarted":
                self.assertEqual(drawn.channel, "tunnel")
            if drawn.is_linked:
                self.assertNotIn(drawn.fault.stage, ("qrShown", "qrScanned"))
            if drawn.fault.kind == "authenticator-killed":
                self.assertEqual(drawn.fault.role, "authenticator")

    def test_nothing_is_drawn_that_was_not_chosen(self):
        choice = plan.Choice(radios=("simulated",), kinds=("sign-in",), channels=("tunnel",), faults=())
        for number in range(100):
            drawn = plan.draw("few", number, choice)
            self.assertEqual((drawn.kind, drawn.radio, drawn.channel, drawn.fault),
                             ("sign-in", "simulated", "tunnel", None))
