import Conformance
import Encodings
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

@Suite("The URL of a tunnel in a vector")
struct TunnelURLTests {
    static let tunnelID = "/3EEF97097986413B059EAA2A30D653D4"

    @Test(
        "may have its hexadecimal digits in either case, and nothing else",
        arguments: [
            ("wss://cable.ua5v.com/cable/connect/090A0B" + tunnelID, true),
            ("wss://cable.ua5v.com/cable/connect/090a0b" + tunnelID, true),
            ("wss://cable.ua5v.com/cable/connect/090a0c" + tunnelID, false),
            ("wss://cable.ua5v.com/cable/CONNECT/090a0b" + tunnelID, false),
            ("wss://cable.UA5V.com/cable/connect/090a0b" + tunnelID, false),
        ])
    func eitherCase(url: String, isRight: Bool) throws {
        let vectorCase = VectorCase(
            id: "a", operation: "tunnel.connect-url",
            input: [
                "domain_id": 0, "routing_id": "090a0b", "tunnel_id": .string(Self.tunnelID.dropFirst().lowercased()),
            ],
            expectation: .fields(["url": .string(url)]))
        #expect((try vectorCase.run() == .passed) == isRight)
    }

    @Test("keeps the contact ID, whose letters are of base64url, as it is")
    func contactID() throws {
        let vectorCase = VectorCase(
            id: "a", operation: "tunnel.contact-url", input: ["domain_id": 0, "contact_id": "0102ff"],
            expectation: .fields(["url": "wss://cable.ua5v.com/cable/contact/aql_"]))
        #expect(try vectorCase.run() != .passed)
    }
}
