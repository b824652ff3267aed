import Testing

@testable import WebAuthnClient

@Suite struct PublicSuffixListTests {
    private static let text = """
        // A comment.
        com
        uk
        co.uk behind white space
        *.ck
        !www.ck
        公司.cn
        // ===BEGIN PRIVATE DOMAINS===
        github.io\r
        """

    @Test(
        "A public suffix is not an identifier for what is below it; what is registered below one is",
        arguments: [
            ("com", true), ("example.com", false), ("a.example.com", false), ("uk", true), ("co.uk", true),
            ("example.co.uk", false), ("ck", true), ("foo.ck", true), ("bar.foo.ck", false), ("www.ck", false),
            ("a.www.ck", false), ("github.io", true), ("alice.github.io", false), ("io", true), ("unknown", true),
            ("a.unknown", false), ("xn--55qx5d.cn", true), ("e.xn--55qx5d.cn", false), ("cn", true),
        ])
    func suffixes(name: String, isSuffix: Bool) throws {
        let list = try PublicSuffixList(Self.text)
        #expect(try list.isPublicSuffix(DomainName(name)) == isSuffix)
    }

    @Test("A list without a rule is none", arguments: ["", "// com\n", " com\n"])
    func empty(text: String) {
        #expect(throws: RelyingPartyError(.noSuffixList, reason: "")) { try PublicSuffixList(text) }
    }

    @Test("Without a list, whether a domain above the origin's is a public suffix is not guessed")
    func absent() {
        #expect(throws: RelyingPartyError(.noSuffixList, reason: "")) { try PublicSuffixList(path: "/nowhere/list") }
    }

    @Test(
        "Labels are decoded from their xn-- form (RFC 3492 section 7.1)",
        arguments: [
            ("xn--bcher-kva", "bücher"), ("xn--egbpdaj6bu4bxfgehfvwxn", "ليهمابتكلموشعربي؟"),
            ("xn--ihqwcrb4cv8a8dqg056pqjye", "他们为什么不说中文"), ("xn--53h", "☕"),
            ("xn--3b-ww4c5e180e575a65lsy2b", "3年b組金八先生"),
            // Malformed, or ASCII alone: they stay as they are.
            ("xn--", "xn--"), ("xn--example-", "xn--example-"), ("xn--e", "xn--e"),
            ("xn--9999999999", "xn--9999999999"),
            ("xn--a-\u{e4}", "xn--a-ä"),
        ])
    func punycode(label: String, decoded: String) {
        #expect(HostName.labels(of: label) == [decoded])
    }
}
