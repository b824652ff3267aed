/// The head of an HTTP request, as it came.
struct RequestHead: Sendable {
    let method: String
    let path: String
    let version: String
    private let fields: [(name: String, value: String)]

    /// Reads a head, up to its empty line.
    ///
    /// - Throws: ``Deviation`` if it is not a request at all.
    init(_ bytes: [UInt8]) throws {
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n")
        let parts = (lines.first ?? "").split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3 else { throw Deviation("its first bytes to the tunnel service are not an HTTP request") }
        (method, path, version) = (parts[0], parts[1], parts[2])
        fields = headerFields(lines.dropFirst())
    }

    /// The values of a header field, by its name in any case.
    subscript(_ name: String) -> [String] { fields.values(name) }
}

/// The head of an HTTP answer, as it came.
struct AnswerHead: Sendable {
    let status: Int
    private let fields: [(name: String, value: String)]

    /// Reads a head, up to its empty line.
    ///
    /// - Throws: ``Deviation`` if it is not an answer at all.
    init(_ bytes: [UInt8]) throws {
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n")
        let parts = (lines.first ?? "").split(separator: " ")
        guard parts.count >= 2, parts[0].hasPrefix("HTTP/1."), let status = Int(parts[1]) else {
            throw Deviation("its response is not HTTP")
        }
        self.status = status
        fields = headerFields(lines.dropFirst())
    }

    /// The values of a header field, by its name in any case.
    subscript(_ name: String) -> [String] { fields.values(name) }
}

private func headerFields(_ lines: some Sequence<Substring>) -> [(name: String, value: String)] {
    lines.compactMap { line in
        guard let colon = line.firstIndex(of: ":") else { return nil }
        let value = line[line.index(after: colon)...].drop { $0 == " " }
        return (line[..<colon].lowercased(), String(value))
    }
}

extension [(name: String, value: String)] {
    fileprivate func values(_ name: String) -> [String] {
        let name = name.lowercased()
        return filter { $0.name == name }.map(\.value)
    }
}
