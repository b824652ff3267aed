package import HybridProtocol
internal import NIOCore

/// The way to each server: directly, or through a proxy.
///
/// The variables are curl's: `https_proxy`, otherwise `all_proxy`, and `no_proxy`, each in lower case before upper
/// case; an empty one is none. This machine is never asked for through a proxy.
///
/// Source: curl(1), section "Environment".
package struct ProxySettings: Sendable, CustomStringConvertible, CustomReflectable {
    /// The proxy's address as it was given, and the name of the variable or option that has it.
    private let given: (text: String, source: String)?
    private let exceptions: ProxyExceptions

    /// The way to one server.
    package enum Way: Sendable {
        /// No proxy was given.
        case direct
        /// There is a proxy, but the server is this machine.
        case toThisMachine
        /// There is a proxy, and `no_proxy` has the server.
        case excepted
        case through(Proxy)

        /// The proxy; nil without one.
        package var proxy: Proxy? {
            guard case .through(let proxy) = self else { return nil }
            return proxy
        }
    }

    /// All servers directly.
    package static let none = Self(given: nil, exceptions: ProxyExceptions(""))

    private static let proxyVariables = ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
    private static let exceptionVariables = ["no_proxy", "NO_PROXY"]

    private init(given: (text: String, source: String)?, exceptions: ProxyExceptions) {
        self.given = given
        self.exceptions = exceptions
    }

    /// Takes the proxy of the environment, or one that is given in its place; `no_proxy` holds for both.
    ///
    /// - Parameters:
    ///   - proxy: the address; nil for the environment's.
    ///   - option: the name of the option that has it.
    ///   - variable: the value of a variable of the environment; nil if it is missing.
    package init(_ proxy: String? = nil, of option: String = "--proxy", environment variable: (String) -> String?) {
        func first(_ names: [String]) -> (text: String, source: String)? {
            names.compactMap { name in variable(name).map { ($0, name) } }.first { !$0.0.isEmpty }
        }
        given = proxy.map { ($0, option) } ?? first(Self.proxyVariables)
        exceptions = ProxyExceptions(first(Self.exceptionVariables)?.text ?? "")
    }

    /// The name of the variable or option that has the proxy; nil if there is none.
    package var source: String? { given?.source }
    /// The same: the address may have a password.
    package var description: String { source ?? "none" }
    /// Nothing, for the same reason.
    package var customMirror: Mirror { Mirror(self, children: []) }

    /// False for a proxy whose address is malformed.
    package var isWellFormed: Bool { given.map { (try? Proxy(parsing: $0.text, from: $0.source)) != nil } ?? true }

    /// The way to the server of a URL.
    ///
    /// - Throws: ``DataChannelError`` `invalid-url`; `proxy-failed` for a proxy whose address is malformed.
    package func way(to url: String) throws(DataChannelError) -> Way { try way(to: WebSocketURL(parsing: url)) }

    /// The way to a server.
    ///
    /// - Throws: `proxyFailed` for a proxy whose address is malformed, and for a server without a name.
    func way(to server: WebSocketURL) throws(DataChannelError) -> Way {
        guard let given else { return .direct }
        if server.isLoopback { return .toThisMachine }
        if exceptions.include(server) { return .excepted }
        // The certificate would be compared with the proxy's address.
        guard server.address == nil else {
            throw DataChannelError(
                .proxyFailed, reason: "a proxy is used only for a server with a name, not for \(server.authority)")
        }
        return .through(try Proxy(parsing: given.text, from: given.source))
    }
}

/// The servers that are not asked for through a proxy, as `no_proxy` has them: names, each with all names below it,
/// addresses, ranges of addresses, or `*` for all; between commas or spaces.
private struct ProxyExceptions: Sendable {
    private let entries: [String]

    init(_ text: String) {
        entries = text.lowercased().split { $0 == "," || $0.isWhitespace }.map { String($0) }
    }

    func include(_ server: WebSocketURL) -> Bool {
        entries.contains { entry in
            if entry == "*" { return true }
            guard let address = server.address else {
                let name = entry.hasPrefix(".") ? entry.dropFirst() : entry[...]
                return server.host == name || !name.isEmpty && server.host.hasSuffix("." + name)
            }
            return Self.range(entry, has: address)
        }
    }

    /// True if `entry` is an address, or a range such as `10.0.0.0/8`, that has the other one.
    private static func range(_ entry: String, has address: SocketAddress) -> Bool {
        let parts = entry.split(separator: "/", maxSplits: 1)
        guard let first = parts.first else { return false }
        let text = first.hasPrefix("[") && first.hasSuffix("]") ? first.dropFirst().dropLast() : first
        guard let start = try? SocketAddress(ipAddress: String(text), port: 0) else { return false }
        let (theirs, ours) = (start.addressBytes, address.addressBytes)
        guard theirs.count == ours.count else { return false }
        var bitCount = ours.count * UInt8.bitWidth
        if parts.count > 1 {
            guard let length = UInt8(parts[1]), Int(length) <= bitCount else { return false }
            bitCount = Int(length)
        }
        return zip(theirs, ours).enumerated().allSatisfy { index, pair in
            let kept = min(max(bitCount - index * UInt8.bitWidth, 0), UInt8.bitWidth)
            return (pair.0 ^ pair.1) >> (UInt8.bitWidth - kept) == 0
        }
    }
}
