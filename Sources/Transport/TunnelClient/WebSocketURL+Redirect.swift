internal import HybridTransport

extension WebSocketURL {
    /// The URL of a `Location` header, resolved against this one.
    ///
    /// `http` and `https` stand for `ws` and `wss`, because services answer an upgrade request with the URL of a page.
    /// Relative references are resolved as RFC 3986 section 5.2 says, and a fragment is dropped.
    ///
    /// - Throws: `redirectRefused` if that is not a URL of a tunnel, or would leave TLS.
    func redirected(to location: String) throws(DataChannelError) -> WebSocketURL {
        guard location.utf8.count <= Self.longest else { throw Self.redirectRefusal("the new location is too long") }
        let reference = location.prefix { $0 != "#" }
        let next: WebSocketURL
        do throws(DataChannelError) {
            next = try resolve(reference)
        } catch {
            throw Self.redirectRefusal("the new location is \(error.reason)")
        }
        guard next.isSecure || !isSecure else { throw Self.redirectRefusal("the new location is without TLS") }
        return next
    }

    private func resolve(_ reference: Substring) throws(DataChannelError) -> WebSocketURL {
        if let absolute = Self.absolute(reference) { return try WebSocketURL(parsing: absolute) }
        if reference.hasPrefix("//") { return try WebSocketURL(parsing: (isSecure ? "wss:" : "ws:") + reference) }
        let path = target.prefix { $0 != "?" }
        if reference.isEmpty { return self }
        if reference.hasPrefix("?") { return try with(target: path + reference) }
        let newPath = reference.prefix { $0 != "?" }
        let query = reference[newPath.endIndex...]
        let directory = path[...(path.lastIndex(of: "/") ?? path.startIndex)]
        let merged = newPath.hasPrefix("/") ? String(newPath) : String(directory + newPath)
        return try with(target: Self.withoutDotSegments(merged) + query)
    }

    /// The reference with the WebSocket's scheme in place of HTTP's, or `nil` if it has no scheme.
    private static func absolute(_ reference: Substring) -> String? {
        let beforePath = reference.prefix { $0 != "/" && $0 != "?" }
        guard let colon = beforePath.firstIndex(of: ":") else { return nil }
        let scheme = reference[..<colon].lowercased()
        let webSocketScheme = ["http": "ws", "https": "wss"][scheme] ?? scheme
        return webSocketScheme + reference[colon...]
    }

    /// RFC 3986 section 5.2.4, for a path that begins with a slash.
    private static func withoutDotSegments(_ path: String) -> String {
        let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        var kept: [Substring] = []
        for segment in segments {
            switch segment {
            case ".": break
            case "..": kept = kept.dropLast()
            default: kept.append(segment)
            }
        }
        if segments.last == "." || segments.last == ".." { kept.append("") }
        return "/" + kept.joined(separator: "/")
    }

    /// A redirect that is not followed.
    static func redirectRefusal(_ reason: String) -> DataChannelError {
        DataChannelError(.redirectRefused, reason: reason)
    }
}
