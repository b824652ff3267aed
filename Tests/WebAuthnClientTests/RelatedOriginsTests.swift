import Foundation
import Testing
import WebAuthnClient

/// Related origins, compared with Chromium's observed answers for the same files.
@Suite struct RelatedOriginsTests {
    /// The cases that need no network: those with redirects and the like are tried over TLS, by a script.
    static let cases: [RelatedOriginsCase] = RelatedOriginsCase.all.filter { !$0.response.isOfTransport }

    @Test func thereAreCases() {
        #expect(Self.cases.count > 250)
        #expect(Set(RelatedOriginsCase.all.map(\.name)).count == RelatedOriginsCase.all.count)
    }

    @Test("An origin is taken, or refused for the same reason, as Chromium does", arguments: cases)
    func asChromiumDoes(_ one: RelatedOriginsCase) async throws {
        #expect(await one.verdict() == one.ours ?? one.chromium)
    }

    @Test("The file is asked for only where the origin is of another domain")
    func fetchesOnlyForOthers() async throws {
        let site = try await RelyingParty(
            id: "example.com", origin: "https://login.example.com", related: NoFetcher())
        #expect(!site.isRelatedOrigin)
        #expect(
            try await codeOf {
                try await RelyingParty(id: "example.com", origin: "https://a.org", related: NoFetcher())
            }
                == .relatedOriginsUnavailable)
    }

    @Test("A related origin stands in the client data")
    func isInTheClientData() async throws {
        let fetcher = FixedFetcher(body: #"{"origins":["https://example.co.uk"]}"#)
        let site = try await RelyingParty(id: "example.com", origin: "https://example.co.uk", related: fetcher)
        #expect(site.isRelatedOrigin && site.origin == "https://example.co.uk" && site.id == "example.com")
    }

    @Test("A file says of each entry what it counts for")
    func entries() throws {
        let file = """
            {"origins": ["https://a.com", "b.com", "https://co.uk", 1, "https://www.A.co.uk/x", "https://b.de",
            "https://c.de", "https://d.de", "https://e.de", "https://f.de", "x://a^b.de"]}
            """
        let list = try RelatedOrigins(file: Array(file.utf8), suffixes: .system())
        #expect(
            list.entries.map(\.standing) == [
                .counts(label: "a"), .noURL, .noRegistrableName, .noText, .counts(label: "a"), .counts(label: "b"),
                .counts(label: "c"), .counts(label: "d"), .counts(label: "e"), .overLimit(label: "f"),
                .noURL,
            ])
    }

    @Test("The most bytes are taken, and one more is not")
    func length() throws {
        let file = Array(#"{"origins":["https://a.com"]}"#.utf8)
        let room = RelatedOrigins.maxByteCount - file.count
        let full = file + [UInt8](repeating: 0x20, count: room)
        #expect(try RelatedOrigins(file: full, suffixes: .system()).entries.count == 1)
        #expect(throws: RelyingPartyError(.relatedOriginsUnavailable, reason: "")) {
            try RelatedOrigins(file: full + [0x20], suffixes: .system())
        }
    }

    @Test("A file made to be slow is not", .timeLimit(.minutes(1)))
    func hostile() throws {
        let dots = String(repeating: "a.", count: 130_000)
        let encoded = "xn--" + String(repeating: "9", count: 200_000)
        for host in [dots, encoded, String(repeating: "@", count: 250_000), String(repeating: "/", count: 250_000)] {
            _ = try RelatedOrigins(file: Array("{\"origins\":[\"https://\(host)\"]}".utf8), suffixes: .system())
        }
        let many = String(repeating: "\"\",", count: 80_000)
        #expect(
            try RelatedOrigins(file: Array("{\"origins\":[\(many)1]}".utf8), suffixes: .system()).entries.count
                == 80_001)
    }

    private func codeOf(_ body: () async throws -> RelyingParty) async throws -> RelyingPartyError.Code? {
        do {
            _ = try await body()
            return nil
        } catch let error as RelyingPartyError {
            return error.code
        }
    }
}

/// A fetcher that gets nothing.
struct NoFetcher: RelatedOriginsFetcher {
    func fetch(_ url: String) async throws(RelyingPartyError) -> RelatedOriginsResponse {
        throw RelyingPartyError(.relatedOriginsUnavailable, reason: "\(url) is not there")
    }
}

/// A fetcher that gets a file from its own place.
struct FixedFetcher: RelatedOriginsFetcher {
    let body: String

    func fetch(_ url: String) async throws(RelyingPartyError) -> RelatedOriginsResponse {
        #expect(url == "https://example.com/.well-known/webauthn")
        return RelatedOriginsResponse(status: 200, contentTypes: ["application/json"], body: Array(body.utf8))
    }
}
