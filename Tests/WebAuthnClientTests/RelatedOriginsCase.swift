import Foundation
import Testing
import WebAuthnClient

/// A case of `Fixtures/related-origins.json`, which Chromium was asked about.
struct RelatedOriginsCase: Decodable, Sendable, CustomTestStringConvertible {
    let name: String
    let rpID: String
    let origin: String
    let response: Response
    /// Chromium's verdict.
    let chromium: String
    /// The verdict here, where it differs.
    let ours: String?

    private enum CodingKeys: String, CodingKey {
        case name, origin, response, chromium, ours
        case rpID = "rp_id"
    }

    /// The site's answer.
    struct Response: Decodable, Sendable {
        let status: Int?
        let body: String?
        let base64: String?
        let length: Int?
        let contentType: ContentTypes?
        let redirects: [String]?
        let delay: Double?
        let framing: String?

        private enum CodingKeys: String, CodingKey {
            case status, body, base64, length, redirects, delay, framing
            case contentType = "content_type"
        }

        /// True if the case is of the delivery of an answer, not of its contents.
        var isOfTransport: Bool { redirects != nil || delay != nil || framing == "cut" }

        var answer: RelatedOriginsResponse {
            var bytes = base64.flatMap { Data(base64Encoded: $0) }.map(Array.init) ?? Array((body ?? "").utf8)
            bytes += [UInt8](repeating: 0x20, count: max(0, (length ?? 0) - bytes.count))
            return RelatedOriginsResponse(
                status: status ?? 200, contentTypes: contentType?.values ?? ["application/json"], body: bytes)
        }
    }

    /// One header, or several.
    struct ContentTypes: Decodable, Sendable {
        let values: [String]

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let one = try? container.decode(String.self) {
                values = [one]
            } else {
                values = try container.decode([String].self)
            }
        }
    }

    private struct Document: Decodable {
        let cases: [RelatedOriginsCase]
    }

    static let all: [RelatedOriginsCase] = {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures/related-origins.json")
        do {
            return try JSONDecoder().decode(Document.self, from: Data(contentsOf: file)).cases
        } catch {
            Issue.record("the cases cannot be read: \(error)")
            return []
        }
    }()

    var testDescription: String { name }

    private static let words: [RelyingPartyError.Code: String] = [
        .relatedOriginsUnavailable: "fetch", .relatedOriginsContentType: "content-type",
        .relatedOriginsMalformed: "malformed", .relatedOriginsOverLimit: "over-limit", .originNotListed: "not-listed",
    ]

    /// The library's verdict, in the words of the cases.
    func verdict() async -> String {
        do {
            _ = try await RelyingParty(id: rpID, origin: origin, related: Answering(response: response.answer))
            return "accepted"
        } catch {
            return Self.words[error.code] ?? "\(error)"
        }
    }

    private struct Answering: RelatedOriginsFetcher {
        let response: RelatedOriginsResponse

        func fetch(_ url: String) async throws(RelyingPartyError) -> RelatedOriginsResponse { response }
    }
}
