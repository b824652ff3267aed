/// Malformed texts of a QR code, made of the digits of a right one.
package enum InvitationTextMalformations {
    typealias Text = Malformation<String, String>

    private static let prefix = "FIDO:/"
    private static let digitRule = "HT-QR-4"
    /// The number of digits of a full chunk.
    private static let chunkDigitCount = 17

    /// All of them: first those that do not begin with `FIDO:/`.
    package static let all: [Malformation<String, String>] = [
        other("empty", "nothing") { _ in "" },
        other("other-scheme", "another scheme") { _ in "https://example.com/" },
        other("no-slash", "no slash") { "FIDO:" + $0 }
            .tested("refuse a prefix without a slash, FIDO:", as: "no-slash"),
        other("no-prefix", "the digits alone") { $0 }
            .tested("refuse digits without the prefix FIDO:/", as: "no-scheme"),
        other("leading-space", "a space in front") { " \(prefix)\($0)" },
        other("similar", "a similar prefix") { "FIDO2:/" + $0 },
        other("full-width-colon", "a full-width colon") { "FIDO\u{ff1a}/\($0)" },
        other("dotless-i", "a letter that upper-cases to I") { "f\u{131}do:/\($0)" },
        other("prefix-cut", "the text ends inside the prefix") { _ in "FIDO:" },
        Text("url-two-slashes", "FIDO:// : the second slash is a non-digit", rule: digitRule, failure: "non-digit") {
            "FIDO://" + $0
        }
        .tested("refuse a prefix with two slashes, FIDO://", as: "two-slashes"),
        Text("url-trailing-newline", "a line feed behind the digits", rule: digitRule, failure: "non-digit") {
            "\(prefix)\($0)\n"
        },
        Text("url-query", "a query behind the digits", rule: digitRule, failure: "non-digit") { "\(prefix)\($0)?a=1" }
            .tested("refuse a query after the digits", as: "query"),
        Text("url-one-digit-short", "the last digit is missing", rule: "HT-QR-8", failure: "digit-count") {
            prefix + $0.dropLast()
        },
        Text("url-one-digit-long", "one digit too many", rule: "HT-QR-8", failure: "digit-count") { "\(prefix)\($0)0" },
        Text("url-range", "a group of digits too large for its bytes", rule: "HT-QR-9", failure: "digit-range") {
            prefix + String(repeating: "9", count: chunkDigitCount) + $0.dropFirst(chunkDigitCount)
        }.tested("refuse a group of 17 nines: seven bytes hold less than 2^56", as: "group-overflow"),
        Text(
            "url-no-digits", "the prefix alone: there is no CBOR in no bytes", rule: "HT-QR-12", failure: "invalid-cbor"
        ) { _ in prefix }
        .tested("refuse the prefix FIDO:/ without digits", as: "no-digits"),
    ]

    private static func other(
        _ slug: String, _ comment: String, _ change: @escaping @Sendable (String) -> String
    ) -> Text { Text("url-\(slug)", comment, rule: "HT-QR-2", failure: "not-fido-url", apply: change) }
}
