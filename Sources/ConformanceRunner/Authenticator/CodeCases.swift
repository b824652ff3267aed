internal import CBOR
internal import Cryptography
internal import HybridProtocol

/// Cases of the QR code that an authenticator scans: its text and what it says.
enum CodeCases {
    private typealias Key = TestCode.Key
    private typealias Stage = AuthenticatorStage

    private static let text = Group<AuthenticatorStage>(
        role: .authenticator, name: "code-text", source: "CTAP 2.2 section 11.5.1, the QR code's digits")
    private static let contents = Group<AuthenticatorStage>(
        role: .authenticator, name: "code", source: "CTAP 2.2 section 11.5.1, the QR code's map")

    static let all = goodContents + badText + badTails + badContents + badEncodings

    // MARK: - Right, if unusual

    private static func takes(
        _ name: String, _ rule: String, _ certainty: ConformanceCase.Certainty = .certain,
        _ change: @escaping @Sendable (TestCode) -> TestCode
    ) -> PlayedCase<AuthenticatorStage> {
        contents.behaves(name, rule, certainty) { stage in try await stage.takes(change(stage.code)) }
    }

    private static let goodContents = [
        takes("makes-passkey", "a code of current browsers leads to a passkey") { $0 },
        takes("hint-ga", "the hint ga does not keep a client from another command", .secondHand) {
            $0.with(Key.hint, "ga")
        },
        takes("hint-unknown", "a hint that nobody knows is read as ga") { $0.with(Key.hint, "future") },
        takes("hint-empty", "an empty hint is one that nobody knows", .secondHand) { $0.with(Key.hint, "") },
        takes("no-hint", "key 5 may be absent", .disputed) { $0.with(Key.hint, nil) },
        takes("linking-true", "key 4 may be true") { $0.with(Key.linking, true) },
        takes("no-linking", "key 4 may be absent", .disputed) { $0.with(Key.linking, nil) },
        takes("no-known-domains", "key 2 may be absent", .disputed) { $0.with(Key.knownDomains, nil) },
        takes("many-known-domains", "key 2 may be more than today's two domains") { $0.with(Key.knownDomains, 255) },
        takes("no-timestamp", "key 3 may be absent") { $0.with(Key.timestamp, nil) },
        takes("old-timestamp", "a code of yesterday is taken", .disputed) {
            $0.with(Key.timestamp, .unsigned(secondsSince1970() - 86_400))
        },
        takes("future-timestamp", "a code of tomorrow is taken", .disputed) {
            $0.with(Key.timestamp, .unsigned(secondsSince1970() + 86_400))
        },
        takes("channels-websocket", "key 6 may say that WebSocket alone is offered", .secondHand) {
            $0.with(Key.channels, [0])
        },
        takes("channels-bool", "a bool in key 6, of caBLE v2.1, is no offer of channels") {
            $0.with(Key.channels, true)
        },
        takes("channels-unknown", "channels that nobody knows are skipped", .secondHand) {
            $0.with(Key.channels, [0, 7])
        },
        takes("unknown-key", "an unknown key is ignored") { $0.with(0xFFFF, 0) },
        takes("unknown-large-key", "an unknown key of eight bytes is ignored", .secondHand) {
            code($0, .unsigned(.max), "x")
        },
        takes("unknown-negative-key", "an unknown negative key is ignored", .secondHand) { code($0, -1, "x") },
        takes("unknown-text-key", "an unknown key of text is ignored", .secondHand) { code($0, "future", true) },
        takes("unknown-map", "the value of an unknown key may be anything", .secondHand) {
            code($0, 1_000, ["a": [1, 2, [3: "b"]]])
        },
        takes("long-code", "a code may have a kilobyte", .secondHand) {
            code($0, 1_000, .bytes([UInt8](repeating: 0xA5, count: 1_000)))
        },
        text.behaves("lower-case-prefix", "the prefix is read in either case", .disputed) { stage in
            let url = "fido:/" + stage.code.url.dropFirst(Invitation.urlPrefix.count)
            try await stage.peer.start(url: String(url))
            _ = try await stage.request()
        },
    ]

    private static func code(_ code: TestCode, _ key: CBORValue, _ value: CBORValue) -> TestCode {
        var code = code
        code.map[key] = value
        return code
    }

    // MARK: - Text that is no code

    private static func refusesText(
        _ name: String, _ rule: String, _ certainty: ConformanceCase.Certainty = .certain,
        _ change: @escaping @Sendable (String) -> String
    ) -> PlayedCase<AuthenticatorStage> {
        text.refuses(name, rule, certainty) { stage in
            let digits = stage.code.url.dropFirst(Invitation.urlPrefix.count)
            try await stage.refuses(url: change(String(digits)))
        }
    }

    private static let badText = [
        refusesText("other-scheme", "a code begins with FIDO:/") { "HTTPS:/" + $0 },
        refusesText("no-scheme", "a code begins with FIDO:/, and is not digits alone") { $0 },
        refusesText("two-slashes", "a code has one slash") { "FIDO://" + $0 },
        refusesText("no-slash", "a code has a slash") { "FIDO:" + $0 },
        refusesText("no-digits", "a code has contents") { _ in "FIDO:/" },
        refusesText("letter", "nothing but digits follows the prefix") { "FIDO:/a" + $0.dropFirst() },
        refusesText("plus-sign", "a sign is no digit") { "FIDO:/+" + $0.dropFirst() },
        refusesText("minus-sign", "a sign is no digit") { "FIDO:/-" + $0.dropFirst() },
        refusesText("space-inside", "a space is no digit") { "FIDO:/" + $0.prefix(17) + " " + $0.dropFirst(18) },
        refusesText("full-width-digit", "digits are ASCII") { "FIDO:/" + $0.dropLast() + "\u{FF11}" },
        refusesText("arabic-digit", "digits are ASCII") { "FIDO:/" + $0.dropLast() + "\u{0661}" },
        refusesText("slash-at-end", "nothing follows the digits") { "FIDO:/" + $0 + "/" },
        refusesText("query", "a code has no query") { "FIDO:/" + $0 + "?x=1" },
        refusesText("group-overflow", "a group of 17 digits is less than 2^56") {
            "FIDO:/" + String(repeating: "9", count: 17) + $0.dropFirst(17)
        },
        refusesText("group-just-overflows", "2^56 does not fit a group") {
            "FIDO:/72057594037927936" + $0.dropFirst(17)
        },
        refusesText("tail-overflow", "the last group is less than its bytes can hold") {
            "FIDO:/" + $0.dropLast(15) + String(repeating: "9", count: 15)
        },
        refusesText("tail-alias", "a number and itself plus 2^48 are not the same six bytes") { digits in
            // What drops the upper bits reads the right code.
            let tail = UInt64(digits.suffix(15)) ?? 0
            let alias = String(tail + (1 << 48))
            return "FIDO:/" + digits.dropLast(15) + String(repeating: "0", count: max(0, 15 - alias.count)) + alias
        },
        refusesText("overlong", "no QR code holds ten thousand digits", .secondHand) {
            "FIDO:/" + $0 + String(repeating: "0", count: 17 * 600)
        },
    ]

    /// The numbers of digits that can be left over after groups of 17, and that no bytes encode to.
    private static let impossibleTails = [1, 2, 4, 6, 7, 9, 11, 12, 14, 16]

    private static let badTails = impossibleTails.map { count in
        refusesText("tail-of-\(count)", "no bytes encode to \(count) digits after whole groups") {
            "FIDO:/" + $0.prefix(9 * 17) + String(repeating: "0", count: count)
        }
    }

    // MARK: - Maps that are no code

    private static func refusesMap(
        _ name: String, _ rule: String, _ certainty: ConformanceCase.Certainty = .certain,
        _ change: @escaping @Sendable (TestCode) -> TestCode
    ) -> PlayedCase<AuthenticatorStage> {
        contents.refuses(name, rule, certainty) { stage in try await stage.refuses(url: change(stage.code).url) }
    }

    private static let badContents = [
        refusesMap("no-public-key", "key 0 is required") { $0.with(Key.publicKey, nil) },
        refusesMap("public-key-text", "key 0 is bytes") { $0.with(Key.publicKey, "key") },
        refusesMap("public-key-empty", "the public key has 33 bytes, not 0") { $0.with(Key.publicKey, .bytes([])) },
        refusesMap("public-key-32", "the public key has 33 bytes, not 32") {
            $0.with(Key.publicKey, .bytes($0.publicKey.compressed.dropLast()))
        },
        refusesMap("public-key-34", "the public key has 33 bytes, not 34") {
            $0.with(Key.publicKey, .bytes($0.publicKey.compressed + [0]))
        },
        refusesMap("public-key-uncompressed", "the public key is compressed") {
            $0.with(Key.publicKey, .bytes($0.publicKey.uncompressed))
        },
        refusesMap("public-key-form-4", "a compressed point begins with 02 or 03") {
            $0.with(Key.publicKey, .bytes([4] + $0.publicKey.compressed.dropFirst()))
        },
        refusesMap("public-key-zero", "33 zero bytes are no point") {
            $0.with(Key.publicKey, .bytes([UInt8](repeating: 0, count: 33)))
        },
        refusesMap("public-key-off-curve", "the public key is a point of the curve") {
            // No point has this X: it is not below the prime.
            $0.with(Key.publicKey, .bytes([2] + [UInt8](repeating: 0xFF, count: 32)))
        },
        refusesMap("no-secret", "key 1 is required") { $0.with(Key.secret, nil) },
        refusesMap("secret-text", "key 1 is bytes") { $0.with(Key.secret, "0123456789abcdef") },
        refusesMap("secret-empty", "the secret has 16 bytes, not 0") { $0.with(Key.secret, .bytes([])) },
        refusesMap("secret-15", "the secret has 16 bytes, not 15") {
            $0.with(Key.secret, .bytes($0.secret.bytes.dropLast()))
        },
        refusesMap("secret-17", "the secret has 16 bytes, not 17") {
            $0.with(Key.secret, .bytes($0.secret.bytes + [0]))
        },
        refusesMap("secret-32", "the secret has 16 bytes, not 32") {
            $0.with(Key.secret, .bytes($0.secret.bytes + $0.secret.bytes))
        },
        refusesMap("known-domains-text", "key 2 is a number") { $0.with(Key.knownDomains, "2") },
        refusesMap("known-domains-negative", "key 2 is not negative") { $0.with(Key.knownDomains, -1) },
        refusesMap("linking-number", "key 4 is a bool") { $0.with(Key.linking, 1) },
        refusesMap("hint-number", "key 5 is text") { $0.with(Key.hint, 1) },
        refusesMap("hint-bytes", "key 5 is text, not bytes") { $0.with(Key.hint, .bytes(Array("mc".utf8))) },
        refusesMap("channels-text", "key 6 is a list", .disputed) { $0.with(Key.channels, "0") },
        refusesMap("channels-of-text", "key 6 is a list of numbers", .disputed) { $0.with(Key.channels, ["0"]) },
        refusesMap("channels-unknown-only", "a client that offers no channel of ours cannot be met", .secondHand) {
            $0.with(Key.channels, [7])
        },
    ]

    // MARK: - Encodings

    private static func refusesEncoding(
        _ name: String, _ rule: String, _ certainty: ConformanceCase.Certainty = .certain,
        _ change: @escaping @Sendable ([UInt8]) -> [UInt8]
    ) -> PlayedCase<AuthenticatorStage> {
        contents.refuses(name, rule, certainty, source: "CTAP 2.1 section 8, canonical CBOR") { stage in
            try await stage.refuses(url: TestCode.url(of: change(stage.code.map.encoded())))
        }
    }

    private static let badEncodings = [
        refusesEncoding("truncated", "the map is whole") { $0.dropLast() },
        refusesEncoding("half", "half a map is none") { Array($0.prefix($0.count / 2)) },
        refusesEncoding("trailing-byte", "nothing follows the map") { $0 + [0] },
        refusesEncoding("array", "the contents are a map") { [0x82] + $0 + [0] },
        refusesEncoding("number", "the contents are a map, not a number") { _ in [0x18, 0x2A] },
        refusesEncoding("indefinite-map", "a map has its length in front", .secondHand) {
            [0xBF] + $0.dropFirst() + [0xFF]
        },
        refusesEncoding("long-key", "numbers are in their shortest form", .secondHand) {
            // Key 0 as 18 00.
            [$0[0], 0x18, 0x00] + $0.dropFirst(2)
        },
        refusesEncoding("long-length", "lengths are in their shortest form", .secondHand) {
            // The length 33 of key 0 as 59 0021.
            Array($0.prefix(2)) + [0x59, 0x00, 0x21] + $0.dropFirst(4)
        },
        refusesEncoding("duplicate-key", "a key is there once", .secondHand) {
            [$0[0] + 1] + $0.dropFirst() + [0x05, 0x62, 0x67, 0x61]
        },
        refusesEncoding("unsorted-keys", "keys are in order", .secondHand) {
            // An unknown key 30 in front of key 0.
            [$0[0] + 1, 0x18, 0x1E, 0x00] + $0.dropFirst()
        },
        refusesEncoding("text-not-utf-8", "text is UTF-8, also under a key that nobody knows", .secondHand) {
            // An unknown key 30 behind the others.
            [$0[0] + 1] + $0.dropFirst() + [0x18, 0x1E, 0x62, 0xFF, 0xFE]
        },
        refusesEncoding("deep-nesting", "nobody follows a thousand arrays") { _ in
            [0xA1, 0x00] + [UInt8](repeating: 0x81, count: 1_000) + [0x00]
        },
        refusesEncoding("huge-length", "nobody waits for 2^63 bytes") { _ in
            [0xA1, 0x00, 0x5B, 0x7F] + [UInt8](repeating: 0xFF, count: 7)
        },
        refusesEncoding("huge-map", "nobody makes room for 2^32 entries") { _ in [0xBA, 0xFF, 0xFF, 0xFF, 0xFF, 0x00] },
    ]
}
