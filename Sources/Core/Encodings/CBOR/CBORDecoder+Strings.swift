// Byte and text strings, whole or in chunks. Source: RFC 8949 sections 3.1 and 3.2.3.

extension CBORDecoder {
    /// The text of a definite length. Lenient mode repairs what is not UTF-8 with U+FFFD: authenticators cut long names
    /// in the middle of a character.
    @_lifetime(self: copy self)
    mutating func text(_ count: UInt64) throws(CBORError) -> String {
        var repairing = reader
        if let text = try reader.text(count) { return text }
        guard mode == .lenient else {
            throw CBORError(.invalidText, reason: "text that is not UTF-8 before byte \(reader.offset)")
        }
        return String(decoding: try repairing.bytes(count), as: UTF8.self)
    }

    /// The text of an indefinite length. Each chunk is text of its own.
    @_lifetime(self: copy self)
    mutating func indefiniteText() throws(CBORError) -> String {
        var whole = ""
        while let chunk = try chunkHead(of: .text) { whole += try text(chunk.argument) }
        return whole
    }

    /// The bytes of a string of indefinite length.
    @_lifetime(self: copy self)
    mutating func chunks(of major: CBORMajorType) throws(CBORError) -> [UInt8] {
        var whole: [UInt8] = []
        while let chunk = try chunkHead(of: major) { whole += try reader.bytes(chunk.argument) }
        return whole
    }

    /// The head of the next chunk; nil after the break.
    @_lifetime(self: copy self)
    private mutating func chunkHead(of major: CBORMajorType) throws(CBORError) -> CBORHead? {
        let head = try head()
        if head.isBreak { return nil }
        guard head.major == major, !head.isIndefinite else {
            throw malformed("a chunk of another kind than its string")
        }
        return head
    }
}
