import Conformance
import Foundation
import Testing

/// Every case of `Vectors/`, each a test of its own under its identifier.
@Suite("Vectors") struct VectorTests {
    @Test("hold", arguments: Repository.vectorCases)
    func holds(_ vectorCase: VectorCase) throws {
        switch try vectorCase.run() {
        case .passed: break
        case .failed(let reason): Issue.record("\(vectorCase.comment): \(reason)")
        case .notOffered: Issue.record("everything is offered")
        }
    }
}
