extension String {
    /// The longest beginning that has at most this many bytes of UTF-8: it ends between two Unicode scalars.
    package func truncated(toByteCount limit: Int) -> String {
        guard let end = utf8.index(startIndex, offsetBy: limit, limitedBy: endIndex) else { return self }
        // A substring begins and ends between scalars.
        return String(self[..<end])
    }
}
