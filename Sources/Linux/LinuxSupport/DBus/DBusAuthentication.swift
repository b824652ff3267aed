internal import Glibc

/// The server's half of the authentication, examined in the socket before libsystemd reads it.
///
/// libsystemd 252 ends the process if more lines have come than it waits for (`bus_socket_auth_verify_client`,
/// assertion `i == n`). A bus that accepts a client sends nothing more before it is asked, so whatever follows its
/// reply is an error. Lines that arrive later than this examination are not found.
///
/// Source: D-Bus Specification 0.43, "Authentication Protocol".
enum DBusAuthentication {
    /// Completeness of the reply so far.
    enum State: Equatable {
        /// Nothing has come.
        case awaited
        /// A part has come; the rest is on its way.
        case partial
        /// All of it has come, or something that the library refuses by itself.
        case complete
        /// All of it has come, and something behind it.
        case excess
    }

    /// Time between two looks at a partial reply: it lies in the socket, which cannot wake us while it is readable.
    static let pollInterval = Duration.milliseconds(5)
    /// The event of poll(2) for a peer that has closed (`POLLRDHUP`); it is not in Glibc's module.
    static let peerClosed: Int32 = 0x2000
    /// The most bytes that are examined: several times a reply's.
    private static let longestReply = 1_024
    private static let lineEnd = Array("\r\n".utf8)
    private static let data = Array("DATA".utf8)
    private static let accepted = Array("OK ".utf8)

    /// Examines the bytes that lie in a socket, and leaves them there.
    ///
    /// - Parameter file: a socket that is connected, or about to be.
    static func state(of file: Int32) -> State {
        var isAwaited = false
        let bytes = [UInt8](unsafeUninitializedCapacity: longestReply) { buffer, count in
            let result = recv(file, buffer.baseAddress, longestReply, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
            isAwaited = result < 0 && errno == EAGAIN
            count = max(0, result)
        }
        // Any other error of the socket is left to the library.
        guard !bytes.isEmpty else { return isAwaited ? .awaited : .complete }
        var domain: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(file, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 else { return .complete }
        return state(of: bytes, negotiatesFiles: domain == AF_UNIX)
    }

    /// Judges the bytes that have come.
    ///
    /// - Parameters:
    ///   - bytes: all of them, from the beginning; 1 byte or more.
    ///   - negotiatesFiles: true if a line about the passing of files is part of it: on Unix sockets.
    static func state(of bytes: [UInt8], negotiatesFiles: Bool) -> State {
        var rest = bytes[...]
        guard var line = nextLine(&rest) else { return .partial }
        if line.elementsEqual(data) {
            guard let next = nextLine(&rest) else { return .partial }
            line = next
        }
        guard line.starts(with: accepted) else { return .complete }
        if negotiatesFiles, nextLine(&rest) == nil { return .partial }
        return rest.isEmpty ? .complete : .excess
    }

    private static func nextLine(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard let end = rest.firstRange(of: lineEnd) else { return nil }
        defer { rest = rest[end.upperBound...] }
        return rest[..<end.lowerBound]
    }
}
