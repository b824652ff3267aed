internal import Conformance

/// A number from another implementation's unit test: an input, and what that implementation says comes out of it.
struct PublishedNumber: Sendable {
    let name: String
    let source: PublishedSource
    let operation: String
    /// What else is to be said of it.
    let note: String?
    let input: CaseFields
    let answer: Answer

    /// What the source says.
    enum Answer: Sendable {
        /// These fields come out. An operation may give more, which the source does not state.
        case gives(CaseFields)
        /// The input is refused: the failure kind that the rules give it.
        case refuses(String)
    }

    /// A number that something comes out of.
    init(
        _ name: String, _ source: PublishedSource, _ operation: String, note: String? = nil, _ input: CaseFields,
        gives fields: CaseFields
    ) {
        self.init(name, source, operation, note, input, .gives(fields))
    }

    /// A number that must be refused.
    init(
        _ name: String, _ source: PublishedSource, _ operation: String, note: String? = nil, _ input: CaseFields,
        failure: String
    ) {
        self.init(name, source, operation, note, input, .refuses(failure))
    }

    private init(
        _ name: String, _ source: PublishedSource, _ operation: String, _ note: String?, _ input: CaseFields,
        _ answer: Answer
    ) {
        self.name = name
        self.source = source
        self.operation = operation
        self.note = note
        self.input = input
        self.answer = answer
    }

    /// So many zero bytes, in hexadecimal digits.
    static func zeros(_ byteCount: Int) -> String { String(repeating: "00", count: byteCount) }
}

/// Where numbers were published: the repository, the revision that was read, and the file.
struct PublishedSource: Sendable {
    let text: String

    /// Chromium's test of the handshake.
    static let chromium = PublishedSource(
        text: "chromium/chromium device/fido/cable/v2_handshake_unittest.cc @ f24a8e130d36c035286d0b664743111ac6b10749")

    /// One test of that file.
    static func chromium(_ test: String) -> Self { PublishedSource(text: "\(chromium.text) \(test)") }

    /// A file of webauthn-rs.
    static func webauthnRS(_ file: String) -> Self {
        PublishedSource(
            text: "kanidm/webauthn-rs @ 65e9a6d71a6f0043430c8873f3b35a383cdbca45 "
                + "webauthn-authenticator-rs/src/cable/\(file)")
    }

    /// A file of libwebauthn.
    static func libwebauthn(_ file: String) -> Self {
        PublishedSource(
            text: "linux-credentials/libwebauthn @ 5bd5f49cbf868b90e99edb5c0471949622992c79 "
                + "libwebauthn/src/transport/cable/\(file)")
    }
}
