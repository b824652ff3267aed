import Foundation
import Testing

/// `hybrid inspect` explains, or refuses for the right reason, every recorded QR code, advert and tunnel domain.
@Suite struct InspectTests {
    /// A vector that can be inspected.
    struct Case: Sendable, CustomTestStringConvertible {
        let id: String
        let arguments: [String]
        /// The explanation; nil if there is none.
        let parts: [String]?
        /// The kind of failure.
        let failure: String?
        let secret: String?

        var testDescription: String { id }
    }

    /// The subjects that are explained, and one refused case of each kind.
    static let cases: [Case] = {
        var kinds: Set<String> = []
        return (contents() + plaintexts() + domains()).filter { vector in
            vector.failure.map { kinds.insert("\(vector.arguments.dropLast()) \($0)").inserted } ?? true
        }
    }()

    @Test func thereAreVectors() {
        #expect(Self.cases.count > 100)
    }

    /// All in one test: each starts a process, and that many at a time would be slow in another way.
    @Test func everyVectorIsExplainedOrRefused() async throws {
        try await TestContext.with { context in
            for vector in Self.cases {
                let program = try context.start(["hybrid", "inspect", "--json"] + vector.arguments)
                let status = try await program.wait(atMost: .seconds(30)) { program.status }
                let text = program.text(.stdout)
                if let parts = vector.parts {
                    #expect(status == 0, "\(vector.id): \(text)")
                    for part in parts { #expect(text.contains(part), "\(vector.id): \(text)") }
                } else {
                    #expect(status == 15, "\(vector.id): \(text)")
                    #expect(text.contains("\"code\":\"\(vector.failure ?? "")\""), "\(vector.id): \(text)")
                }
                if let secret = vector.secret { #expect(!text.contains(secret), "\(vector.id): \(text)") }
            }
        }
    }

    private static func contents() -> [Case] {
        vectors("qr-contents").compactMap { id, operation, input, failure, expected in
            let subject = input["cbor"] as? String ?? input["url"] as? String ?? ""
            guard operation == "invitation.decode" || operation == "invitation.parse", !subject.isEmpty else {
                return nil
            }
            let kind = operation == "invitation.decode" ? "contents" : "qr"
            let parts = ["public_key", "hint"].compactMap { expected[$0] as? String } + ["not shown"]
            return Case(
                id: id, arguments: ["--as", kind, "--", subject], parts: failure == nil ? parts : nil,
                failure: failure, secret: expected["secret"] as? String)
        }
    }

    private static func plaintexts() -> [Case] {
        vectors("advert").compactMap { id, operation, input, failure, expected in
            let subject = input["plaintext"] as? String ?? ""
            guard operation == "advert.parse", !subject.isEmpty else { return nil }
            let parts = ["nonce", "routing_id", "domain"].compactMap { expected[$0] as? String }
            return Case(
                id: id, arguments: ["--as", "plaintext", subject], parts: failure == nil ? parts : nil,
                failure: failure, secret: nil)
        }
    }

    private static func domains() -> [Case] {
        vectors("tunnel-domain").compactMap { id, operation, input, failure, expected in
            guard operation == "domain.name", let number = input["id"] as? Int else { return nil }
            let parts = ["domain"].compactMap { expected[$0] as? String }
            return Case(
                id: id, arguments: ["\(number)"], parts: failure == nil ? parts : nil, failure: failure, secret: nil)
        }
    }

    private typealias Vector = (
        id: String, operation: String, input: [String: Any], failure: String?, expected: [String: Any]
    )

    private static func vectors(_ layer: String) -> [Vector] {
        let file = TestContext.vectors.appending(path: "\(layer).json")
        let text = try? JSONSerialization.jsonObject(with: Data(contentsOf: file))
        let cases = (text as? [String: Any])?["cases"] as? [[String: Any]] ?? []
        return cases.map { item in
            (
                item["id"] as? String ?? "", item["operation"] as? String ?? "", item["input"] as? [String: Any] ?? [:],
                item["failure"] as? String, item["expected"] as? [String: Any] ?? [:]
            )
        }
    }
}
