internal import Encodings

/// Requests of programs, in CTAP2's order.
enum SortedRequest {
    /// Puts the keys of a request's maps in order.
    ///
    /// USB keys take them in any, and Firefox relies on it: the options of its sign-ins are `uv`, `up`
    /// (authenticator-rs, commands/get_assertion.rs; seen with Firefox 153). What is behind a key reads strictly.
    ///
    /// - Parameter request: the command byte and its CBOR.
    /// - Returns: the request in order; as it is if something else is wrong with it, for its reader to say.
    static func sorted(_ request: [UInt8]) -> [UInt8] {
        guard let command = request.first,
            let parameters = try? CBORValue.decodeLenient(request.span.extracting(droppingFirst: 1))
        else { return request }
        let sorted = [command] + parameters.encoded()
        // Another length is another encoding, or a key that stands twice.
        return sorted.count == request.count ? sorted : request
    }
}
