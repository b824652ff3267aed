"""Which ends of a ceremony are right."""
import unittest

from soak import expected, plan


def side(code, done=None, cause=None, error="error", stage="handshaken"):
    return {"exit": code, "done": code == 0 if done is None else done,
            "error": cause and {"code": error, "cause": cause, "stage": stage}}


def judge(fault, client, authenticator, applied=True):
    drawn = plan.Plan(1, "sign-in", "bluez", "tunnel", fault and plan.Fault(fault, "client", "start", 0))
    return expected.judge(drawn, applied, {"client": client, "authenticator": authenticator})


class ExpectedTests(unittest.TestCase):
    def test_without_a_fault_only_success_is_right(self):
        self.assertEqual(judge(None, side(0), side(0)), ("success", None))
        self.assertEqual(judge(None, side(11, cause="not reached", error="timeout"), side(0)),
                         ("failure", "client: exit 11 timeout before handshaken"))
        self.assertEqual(judge(None, side(0, done=False), side(0)), ("failure", "client: no result"))

    def test_so_it_is_under_other_devices_adverts_and_where_the_fault_never_came(self):
        timeout = side(11, cause="not reached", error="timeout")
        self.assertEqual(judge("advert-flood", side(0), timeout)[0], "failure")
        self.assertEqual(judge("client-killed", side(0), timeout, applied=False)[0], "failure")
        self.assertEqual(judge("client-killed", side(-9), timeout)[0], "expected")

    def test_a_crash_is_never_right(self):
        for fault in expected.ALLOWED:
            self.assertEqual(judge(fault, side(-11), side(0))[0], "failure", fault)
            self.assertEqual(judge(fault, side(0), side(-4)), ("failure", "authenticator: ended by signal 4"), fault)

    def test_who_connects_to_one_that_was_killed_finds_nobody(self):
        self.assertEqual(judge("authenticator-killed", side(10, cause="unreachable: no connection", error="radio"),
                               side(-9))[0], "expected")

    def test_a_side_that_hangs_is_a_failure(self):
        self.assertEqual(judge("client-killed", side(-9), side(None)), ("failure", "authenticator: hung"))

    def test_a_cause_must_be_one_that_the_fault_explains(self):
        off = side(10, cause="powered-off: hci0 is off", error="radio")
        self.assertEqual(judge("adapter-off", off, side(11, cause="x"))[0], "expected")
        self.assertEqual(judge("client-killed", side(-9), off)[0], "failure")
        odd = side(10, cause="invalid-reply: nonsense", error="radio")
        self.assertEqual(judge("adapter-off", odd, side(0)),
                         ("failure", "client: exit 10 radio (invalid-reply) before handshaken"))
        self.assertEqual(judge("client-killed", side(-9), side(15, cause="bad-tag: x"))[0], "failure")
