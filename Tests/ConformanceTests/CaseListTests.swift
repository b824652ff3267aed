import Testing

@testable import Conformance

@Suite("The list of all IDs of cases")
struct CaseListTests {
    @Test("has each case with its rule, and of those that have gone the reason")
    func kept() {
        #expect(CaseList.kept.faults(of: ProfileTests.all).isEmpty)
        #expect(CaseList.kept.entries.count >= 1_602)
        #expect(
            ConformanceRunner.retirement(of: "client/l2cap/framing-length-prefix")
                == "retired: the rule had no source, and is gone")
        #expect(ConformanceRunner.retirement(of: ProfileTests.all[0].id) == nil)
    }

    @Test("notices an ID that has gone, is new, is used for another rule, or is used again")
    func changes() {
        func testCase(_ name: String, _ rule: String) -> ConformanceCase {
            ConformanceCase(id: "client/\(name)", rule: rule, demand: "wait", kind: .behaves)
        }
        let list = CaseList("# remark\nclient/a HT-QR-1\nclient/b HT-QR-2\nclient/c HT-QR-3 retired: it is so\n")
        #expect(list.faults(of: [testCase("a", "HT-QR-1"), testCase("b", "HT-QR-2")]).isEmpty)
        #expect(
            list.faults(of: [testCase("a", "HT-QR-2"), testCase("c", "HT-QR-3"), testCase("d", "HT-QR-1")]) == [
                "client/a is of HT-QR-2, and was of HT-QR-1",
                "client/b is gone: write behind its rule why, as retired: REASON",
                "client/c is used again, and was retired: it is so",
                "client/d is new: tools/trace/run --write adds it",
            ])
    }
}
