internal import Cryptography
internal import Encodings
internal import HybridProtocol

/// Cases of the QR code that an authenticator scans: its text and its contents.
enum AuthenticatorCodeCases {
    private typealias Key = InvitationKey
    private typealias Context = AuthenticatorTestContext

    private static let text = CaseGroup<AuthenticatorTestContext>(
        role: .authenticator, name: "code-text", rule: "HT-QR-4")
    private static let contents = CaseGroup<AuthenticatorTestContext>(
        role: .authenticator, name: "code", rule: "HT-QR-12")

    static let all = goodContents + malformedTexts + badText + badTails + malformed + badEncodings

    // MARK: - Right, if unusual

    private static func takes(
        _ name: String, _ requirement: String, rule: String,
        change: @escaping @Sendable (TestCode) -> TestCode
    ) -> ScriptedCase<AuthenticatorTestContext> {
        contents.behaves(name, requirement, rule: rule) { context in
            try await context.takes(change(context.code))
        }
    }

    /// The plainest ceremony of an authenticator.
    static let plain = takes(
        "makes-passkey", "accept a QR code of current browsers, and make a passkey", rule: "HT-QR-54"
    ) { $0 }

    /// A hint under which an assertion is asked for, as under `ga`: there is no passkey for it, so any answer will do.
    private static func treatsAsAssertion(
        _ name: String, _ demand: String, hint: String
    ) -> ScriptedCase<AuthenticatorTestContext> {
        contents.behaves(name, demand, rule: "HT-QR-40") { context in
            let session = try await context.ready(context.code.with(Key.hint, .text(hint)))
            _ = try await context.ask(session, AuthenticatorTestContext.getAssertion())
            await session.socket.close()
            try await context.peer.ended()
        }
    }

    private static let goodContents = [
        plain,
        takes("hint-ga", "accept makeCredential in a session whose hint is ga", rule: "HT-QR-43") {
            $0.with(Key.hint, "ga")
        },
        treatsAsAssertion("hint-unknown", "treat an unknown hint as ga", hint: "future"),
        treatsAsAssertion("hint-empty", "treat an empty hint as an unknown one", hint: ""),
        takes("no-hint", "accept a QR code without key 5 (hint)", rule: "HT-QR-41") {
            $0.with(Key.hint, nil)
        },
        takes("linking-true", "accept the value true in key 4 (linking)", rule: "HT-QR-37") {
            $0.with(Key.linking, true)
        },
        takes("no-linking", "accept a QR code without key 4 (linking)", rule: "HT-QR-36") {
            $0.with(Key.linking, nil)
        },
        takes("no-known-domains", "accept a QR code without key 2 (known domains)", rule: "HT-QR-29") {
            $0.with(Key.knownDomains, nil)
        },
        takes(
            "many-known-domains", "accept a key 2 (known domains) above the two domains of today", rule: "HT-QR-30"
        ) {
            $0.with(Key.knownDomains, 255)
        },
        takes("no-timestamp", "accept a QR code without key 3 (timestamp)", rule: "HT-QR-33") {
            $0.with(Key.time, nil)
        },
        takes("old-timestamp", "accept a QR code whose timestamp is one day old", rule: "HT-QR-34") {
            $0.with(Key.time, .unsigned(secondsSince1970() - 86_400))
        },
        takes(
            "future-timestamp", "accept a QR code whose timestamp is one day ahead", rule: "HT-QR-34"
        ) {
            $0.with(Key.time, .unsigned(secondsSince1970() + 86_400))
        },
        takes(
            "channels-websocket", "accept a key 6 (channels) that lists the WebSocket alone",
            rule: "HT-QR-46"
        ) {
            $0.with(Key.channels, [0])
        },
        takes(
            "channels-bool", "not take a bool in key 6, as caBLE v2.1 has it, for an offer of channels",
            rule: "HT-QR-48"
        ) {
            $0.with(Key.channels, true)
        },
        takes("channels-unknown", "skip unknown channels in key 6", rule: "HT-QR-49") {
            $0.with(Key.channels, [0, 7])
        },
        takes("unknown-key", "ignore an unknown key", rule: "HT-QR-17") { $0.with(0xFFFF, 0) },
        takes("unknown-large-key", "ignore an unknown key of eight bytes", rule: "HT-QR-17") {
            code($0, .unsigned(.max), "x")
        },
        takes("unknown-negative-key", "ignore an unknown negative key", rule: "HT-QR-17") {
            code($0, -1, "x")
        },
        takes("unknown-text-key", "ignore an unknown text key", rule: "HT-QR-17") {
            code($0, "future", true)
        },
        takes(
            "unknown-map", "ignore the value of an unknown key, whatever its type", rule: "HT-QR-17"
        ) {
            code($0, 1_000, ["a": [1, 2, [3: "b"]]])
        },
        takes("long-code", "accept a QR code whose contents exceed 1,000 bytes", rule: "HT-QR-19") {
            code($0, 1_000, .bytes([UInt8](repeating: 0xA5, count: 1_000)))
        },
        text.behaves("lower-case-prefix", "accept the prefix in lower case, fido:/", rule: "HT-QR-3") { context in
            let url = "fido:/" + context.code.url.dropFirst(Invitation.urlPrefix.count)
            try await context.peer.start(url: String(url))
            _ = try await context.request()
        },
    ]

    private static func code(_ code: TestCode, _ key: CBORValue, _ value: CBORValue) -> TestCode {
        var code = code
        code.map[key] = value
        return code
    }

    // MARK: - Text that is not a code

    private static func refusesText(
        _ name: String, _ requirement: String, rule: String,
        change: @escaping @Sendable (String) -> String
    ) -> ScriptedCase<AuthenticatorTestContext> {
        text.refuses(name, requirement, rule: rule) { context in
            let digits = context.code.url.dropFirst(Invitation.urlPrefix.count)
            try await context.refuses(url: change(String(digits)))
        }
    }

    private static let malformedTexts = text.refuses(InvitationTextMalformations.all) { context, damage in
        try await context.refuses(url: damage(String(context.code.url.dropFirst(Invitation.urlPrefix.count))))
    }

    private static let badText = [
        refusesText("other-scheme", "refuse a text that begins with HTTPS:/ instead of FIDO:/", rule: "HT-QR-2") {
            "HTTPS:/" + $0
        },
        refusesText("letter", "refuse a letter after FIDO:/, where only ASCII digits are allowed", rule: "HT-QR-4") {
            "FIDO:/a" + $0.dropFirst()
        },
        refusesText(
            "plus-sign", "refuse a plus sign after FIDO:/, where only ASCII digits are allowed", rule: "HT-QR-4"
        ) {
            "FIDO:/+" + $0.dropFirst()
        },
        refusesText(
            "minus-sign", "refuse a minus sign after FIDO:/, where only ASCII digits are allowed", rule: "HT-QR-4"
        ) {
            "FIDO:/-" + $0.dropFirst()
        },
        refusesText(
            "space-inside", "refuse a space after FIDO:/, where only ASCII digits are allowed", rule: "HT-QR-4"
        ) {
            "FIDO:/" + $0.prefix(17) + " " + $0.dropFirst(18)
        },
        refusesText("full-width-digit", "refuse a full-width digit (U+FF11): digits are ASCII", rule: "HT-QR-4") {
            "FIDO:/" + $0.dropLast() + "\u{FF11}"
        },
        refusesText("arabic-digit", "refuse an Arabic-Indic digit (U+0661): digits are ASCII", rule: "HT-QR-4") {
            "FIDO:/" + $0.dropLast() + "\u{0661}"
        },
        refusesText("slash-at-end", "refuse a slash after the digits", rule: "HT-QR-4") { "FIDO:/" + $0 + "/" },
        refusesText("group-just-overflows", "refuse a group of 17 digits with the value 2^56", rule: "HT-QR-9") {
            "FIDO:/72057594037927936" + $0.dropFirst(17)
        },
        refusesText(
            "tail-overflow", "refuse a last group of 15 nines: six bytes hold less than 2^48", rule: "HT-QR-9"
        ) {
            "FIDO:/" + $0.dropLast(15) + String(repeating: "9", count: 15)
        },
        refusesText("tail-alias", "refuse a last group that is right only modulo 2^48", rule: "HT-QR-9") {
            digits in
            // A decoder that drops the upper bits reads the right code.
            let tail = UInt64(digits.suffix(15)) ?? 0
            let alias = String(tail + (1 << 48))
            return "FIDO:/" + digits.dropLast(15) + String(repeating: "0", count: max(0, 15 - alias.count)) + alias
        },
        refusesText(
            "overlong", "refuse a text of more than 10,000 digits, which no QR code holds",
            rule: "HT-QR-10"
        ) {
            "FIDO:/" + $0 + String(repeating: "0", count: 17 * 600)
        },
    ]

    /// The numbers of digits that can be left over after groups of 17, and that no bytes encode to.
    private static let impossibleTails = [1, 2, 4, 6, 7, 9, 11, 12, 14, 16]

    private static let badTails = impossibleTails.map { count in
        refusesText(
            "tail-of-\(count)", "refuse \(count) digits after the last whole group, to which no bytes encode",
            rule: "HT-QR-8"
        ) {
            "FIDO:/" + $0.prefix(9 * 17) + String(repeating: "0", count: count)
        }
    }

    // MARK: - Maps that are not a code

    private static let malformed =
        contents.refuses(InvitationMalformations.fields, script: refuses)
        + contents.refuses(InvitationMalformations.encodings, script: refuses)

    private static func refuses(
        _ context: Context, _ damage: @Sendable (HonestInvitation) throws -> [UInt8]
    ) async throws {
        try await context.refuses(url: TestCode.url(of: damage(context.code.honest)))
    }

    // MARK: - Encodings

    private static func refusesEncoding(
        _ name: String, _ requirement: String, rule: String,
        change: @escaping @Sendable ([UInt8]) -> [UInt8]
    ) -> ScriptedCase<AuthenticatorTestContext> {
        contents.refuses(name, requirement, rule: rule) { context in
            try await context.refuses(url: TestCode.url(of: change(context.code.map.encoded())))
        }
    }

    private static let badEncodings = [
        refusesEncoding(
            "text-not-utf-8", "refuse text that is not UTF-8, even under an unknown key",
            rule: "HT-QR-16"
        ) {
            // An unknown key 30 behind the others.
            [$0[0] + 1] + $0.dropFirst() + [0x18, 0x1E, 0x62, 0xFF, 0xFE]
        },
        refusesEncoding(
            "deep-nesting", "refuse 1,000 nested arrays; canonical CBOR nests 4 levels deep at most",
            rule: "HT-QR-15"
        ) {
            _ in
            [0xA1, 0x00] + [UInt8](repeating: 0x81, count: 1_000) + [0x00]
        },
        refusesEncoding(
            "huge-length", "refuse a byte string with a stated length near 2^63, without waiting or allocating",
            rule: "HT-QR-14"
        ) { _ in
            [0xA1, 0x00, 0x5B, 0x7F] + [UInt8](repeating: 0xFF, count: 7)
        },
        refusesEncoding(
            "huge-map", "refuse a map with a stated count of 2^32 - 1 entries, without allocating for them",
            rule: "HT-QR-14"
        ) { _ in [0xBA, 0xFF, 0xFF, 0xFF, 0xFF, 0x00] },
    ]
}
