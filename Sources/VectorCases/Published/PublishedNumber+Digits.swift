internal import JSON

extension PublishedNumber {
    /// Of the QR code's digits (PROTOCOL.md 1.2).
    static let digits: [Self] = [
        .init("digits 3 bytes", .chromium, "digits.encode", ["bytes": "6162ff"], gives: ["digits": "16736865"]),
        .init("digits 3 bytes back", .chromium, "digits.decode", ["digits": "16736865"], gives: ["bytes": "6162ff"]),
        .init(
            "digits hello world", .libwebauthn("digit_encode.rs"), "digits.encode", ["bytes": "68656c6c6f20776f726c64"],
            gives: ["digits": "335311851610699281684828783"]),
        .init(
            "digits of 0 zero bytes", .webauthnRS("base10.rs"), "digits.encode", ["bytes": ""],
            gives: ["digits": ""]),
        .init("0 zero digits", .webauthnRS("base10.rs"), "digits.decode", ["digits": ""], gives: ["bytes": ""]),
        .init(
            "digits of 1 zero bytes", .webauthnRS("base10.rs"), "digits.encode", ["bytes": "00"],
            gives: ["digits": "000"]),
        .init("3 zero digits", .webauthnRS("base10.rs"), "digits.decode", ["digits": "000"], gives: ["bytes": "00"]),
        .init(
            "digits of 2 zero bytes", .webauthnRS("base10.rs"), "digits.encode", ["bytes": "0000"],
            gives: ["digits": "00000"]),
        .init(
            "5 zero digits", .webauthnRS("base10.rs"), "digits.decode", ["digits": "00000"],
            gives: ["bytes": "0000"]),
        .init(
            "digits of 3 zero bytes", .webauthnRS("base10.rs"), "digits.encode", ["bytes": "000000"],
            gives: ["digits": "00000000"]),
        .init(
            "8 zero digits", .webauthnRS("base10.rs"), "digits.decode", ["digits": "00000000"],
            gives: ["bytes": "000000"]),
        .init(
            "digits of 4 zero bytes", .webauthnRS("base10.rs"), "digits.encode", ["bytes": "00000000"],
            gives: ["digits": "0000000000"]),
        .init(
            "10 zero digits", .webauthnRS("base10.rs"), "digits.decode", ["digits": "0000000000"],
            gives: ["bytes": "00000000"]),
        .init(
            "digits of 5 zero bytes", .webauthnRS("base10.rs"), "digits.encode", ["bytes": "0000000000"],
            gives: ["digits": "0000000000000"]),
        .init(
            "13 zero digits", .webauthnRS("base10.rs"), "digits.decode", ["digits": "0000000000000"],
            gives: ["bytes": "0000000000"]),
        .init(
            "digits of 6 zero bytes", .webauthnRS("base10.rs"), "digits.encode", ["bytes": "000000000000"],
            gives: ["digits": "000000000000000"]),
        .init(
            "15 zero digits", .webauthnRS("base10.rs"), "digits.decode", ["digits": "000000000000000"],
            gives: ["bytes": "000000000000"]),
        .init(
            "digits of 7 zero bytes", .webauthnRS("base10.rs"), "digits.encode", ["bytes": "00000000000000"],
            gives: ["digits": "00000000000000000"]),
        .init(
            "17 zero digits", .webauthnRS("base10.rs"), "digits.decode", ["digits": "00000000000000000"],
            gives: ["bytes": "00000000000000"]),
        .init(
            "digits of 8 zero bytes", .webauthnRS("base10.rs"), "digits.encode", ["bytes": "0000000000000000"],
            gives: ["digits": "00000000000000000000"]),
        .init(
            "20 zero digits", .webauthnRS("base10.rs"), "digits.decode", ["digits": "00000000000000000000"],
            gives: ["bytes": "0000000000000000"]),
        .init("digits reject 'a'", .chromium, "digits.decode", ["digits": "a"], failure: "non-digit"),
        .init("digits reject 'ab'", .chromium, "digits.decode", ["digits": "ab"], failure: "non-digit"),
        .init("digits reject 'abc'", .chromium, "digits.decode", ["digits": "abc"], failure: "non-digit"),
        .init("digits reject 999 (Chromium)", .chromium, "digits.decode", ["digits": "999"], failure: "digit-range"),
        .init(
            "digits reject 'abc1234'", .webauthnRS("base10.rs"), "digits.decode", ["digits": "abc1234"],
            failure: "non-digit"),
        .init(
            "digits reject '\\uff11\\uff12\\uff13'", .webauthnRS("base10.rs"), "digits.decode",
            ["digits": "\u{ff11}\u{ff12}\u{ff13}"],
            failure: "non-digit"),
        .init(
            "digits reject '1\\u03082\\u03083\\u0308'", .webauthnRS("base10.rs"), "digits.decode",
            ["digits": "1\u{308}2\u{308}3\u{308}"],
            failure: "non-digit"),
        .init("digits reject '1'", .webauthnRS("base10.rs"), "digits.decode", ["digits": "1"], failure: "digit-count"),
        .init(
            "digits reject '12'", .webauthnRS("base10.rs"), "digits.decode", ["digits": "12"],
            failure: "digit-count"),
        .init(
            "digits reject '1234'", .webauthnRS("base10.rs"), "digits.decode", ["digits": "1234"],
            failure: "digit-count"),
        .init(
            "digits reject '123456789012345678'", .webauthnRS("base10.rs"), "digits.decode",
            ["digits": "123456789012345678"],
            failure: "digit-count"),
        .init(
            "digits reject '999'", .webauthnRS("base10.rs"), "digits.decode", ["digits": "999"],
            failure: "digit-range"),
        .init(
            "digits reject '99999999999999999'", .webauthnRS("base10.rs"), "digits.decode",
            ["digits": "99999999999999999"],
            failure: "digit-range"),
    ]
}
