import Testing
import WebAuthnClient

@Suite struct RelyingPartyTests {
    @Test(
        "Domain names in lower case are identifiers",
        arguments: [
            "example.com", "localhost", "a.b.c.example.co.uk", "xn--bcher-kva.example", "intranet", "1password.com",
            String(repeating: "a", count: 63) + ".org",
        ])
    func identifiers(id: String) throws {
        let site = try RelyingParty(id: id)
        #expect(site.id == id && site.name == id && site.origin == "https://" + id)
    }

    @Test(
        "Anything else is refused",
        arguments: [
            "", ".", "example.com.", ".example.com", "a..b", "Example.com", "bücher.example", "-a.com", "a-.com",
            "under_score.com", "127.0.0.1", "[::1]", "example.com:443", "https://example.com", "exa mple.com",
            "example.com/", "a\0b.com", "１.com", String(repeating: "a", count: 64) + ".org",
            String(repeating: "a.", count: 127) + "aa",
        ])
    func badIdentifiers(id: String) throws {
        #expect(try code { _ = try RelyingParty(id: id) } == .invalidRelyingPartyID)
    }

    @Test(
        "An origin is of the identifier's host or below it",
        arguments: [
            ("example.com", "https://example.com"), ("example.com", "https://login.example.com"),
            ("example.com", "https://example.com:8443"), ("localhost", "http://localhost:8000"),
            ("app.localhost", "http://a.app.localhost"), ("localhost", "https://localhost"), ("co.uk", "https://co.uk"),
            ("example.co.uk", "https://www.example.co.uk"),
        ])
    func origins(id: String, origin: String) throws {
        #expect(try RelyingParty(id: id, origin: origin).origin == origin)
    }

    @Test(
        "Another origin is refused",
        arguments: [
            "", "example.com", "http://example.com", "https://", "https://example.com/", "https://example.com:443",
            "https://example.com:0", "https://example.com:08443", "https://example.com:+1", "https://example.com:65536",
            "https://example.com:", "https://example.org", "https://badexample.com", "https://com",
            "https://example.com.evil.org", "https://user@example.com", "HTTPS://example.com", "https://Example.com",
            "https://example.com#", "wss://example.com", "https://example.com:1:2",
        ])
    func badOrigins(origin: String) throws {
        #expect(try code { _ = try RelyingParty(id: "example.com", origin: origin) } == .invalidOrigin)
    }

    @Test(
        "A public suffix is not an identifier for an origin below it",
        arguments: [
            ("co.uk", "https://example.co.uk"), ("com", "https://example.com"),
            ("github.io", "https://alice.github.io"),
            ("foo.ck", "https://bar.foo.ck"), ("localhost", "http://app.localhost"), ("intranet", "https://a.intranet"),
        ])
    func publicSuffixes(id: String, origin: String) throws {
        #expect(try code { _ = try RelyingParty(id: id, origin: origin) } == .invalidOrigin)
    }

    @Test("Two errors are equal if their codes are, whatever they say")
    func errors() {
        #expect(RelyingPartyError(.badSignature, reason: "a") == RelyingPartyError(.badSignature, reason: "b"))
        #expect(RelyingPartyError(.badSignature, reason: "a") != RelyingPartyError(.crossOrigin, reason: "a"))
        #expect("\(RelyingPartyError(.badSignature, reason: "why"))" == "bad-signature: why")
    }
}
