"""One pytest test for each case of the operations that a test module offers.

    # test_hybrid.py
    hybrid_operations = {"advert.open": ours.open_advert, "transport.pad": ours.pad}
    hybrid_expected_failures = {"advert-open-suffix-03": "we offer no BLE channel"}      # or the name of a file of JSON like it
    def test_hybrid(hybrid_case): hybrid_case()

A function gets the input's parts by name, bytes as bytes, and returns a dictionary, or the one value; it raises
`hybrid_transport_vectors.Refused`, or one of `hybrid_refusals` (exceptions of the implementation), for what it refuses. A case that is
expected to fail, and does not, fails. `hybrid_optional = False` leaves out the cases of features that one need not have.
"""
import json
import pathlib

import pytest

from . import Refused, cases, check


def pytest_generate_tests(metafunc):
    if "hybrid_case" not in metafunc.fixturenames:
        return
    module = metafunc.module
    operations = module.hybrid_operations
    expected = getattr(module, "hybrid_expected_failures", {})
    if isinstance(expected, str):
        expected = json.loads((pathlib.Path(module.__file__).parent / expected).read_text(encoding="utf-8"))
    chosen = [case for case in cases() if case.operation in operations
              and (getattr(module, "hybrid_optional", True) or "optional" not in (case.flags or []))]
    unknown = sorted(operations.keys() - {case.operation for case in cases()}) + sorted(expected.keys() - {case.id for case in chosen})
    if unknown:
        raise pytest.UsageError(f"hybrid_transport_vectors: no such operation or case: {', '.join(unknown)}")
    metafunc.parametrize("hybrid_case", [
        pytest.param((case, operations[case.operation], getattr(module, "hybrid_refusals", ())), id=case.id,
                     marks=[pytest.mark.xfail(reason=expected[case.id], strict=True)] if case.id in expected else [])
        for case in chosen], indirect=True)


@pytest.fixture
def hybrid_case(request):
    """Runs its case: fails with the rule if it does not hold."""
    case, function, refusals = request.param

    def attempt(**given):
        try:
            return function(**given)
        except refusals as refusal:
            raise Refused from refusal

    def run():
        if wrong := check(case, attempt):
            pytest.fail(f"{case.id}: {wrong}\n{case.comment}\n{case.rule} ({case.certainty})", pytrace=False)
    return run
