internal import Glibc

/// What a bus says before it lets us in, looked at before libsystemd reads it.
///
/// libsystemd 252 ends the process if more lines have come than it waits for (`bus_socket_auth_verify_client`, assertion `i == n`). A
/// bus that takes us says nothing more before it is asked: what goes on behind its greeting is no bus's. One that says it a moment
/// later than we look is not found out.
///
/// Source: D-Bus Specification 0.43, "Authentication Protocol".
struct DBusGreeting {
    /// What has come so far.
    enum Progress: Equatable {
        /// Nothing.
        case awaited
        /// Some of it; the rest is on its way.
        case begun
        /// All of it, or something that the library refuses by itself.
        case complete
        /// All of it, and something behind it.
        case overrun
    }

    /// How long to wait for the rest of a greeting that has begun: it lies in the socket, which so cannot wake us.
    static let pause = Duration.milliseconds(5)
    /// The event of poll(2) for a bus that has hung up; it is not in Glibc's module.
    static let hangUp: Int32 = 0x2000
    /// What is looked at of it, in bytes: several times what a greeting has.
    private static let longest = 1_024
    private static let lineEnd = Array("\r\n".utf8)
    private static let data = Array("DATA".utf8)
    private static let consent = Array("OK ".utf8)

    /// Looks at what lies in a socket, and leaves it there.
    ///
    /// - Parameter file: a socket that is connected, or about to be.
    static func look(at file: Int32) -> Progress {
        var isAwaited = false
        let bytes = [UInt8](unsafeUninitializedCapacity: longest) { buffer, count in
            let result = recv(file, buffer.baseAddress, longest, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
            isAwaited = result < 0 && errno == EAGAIN
            count = max(0, result)
        }
        // What is wrong with the socket, if there is neither, the library finds out.
        guard !bytes.isEmpty else { return isAwaited ? .awaited : .complete }
        var domain: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(file, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 else { return .complete }
        return progress(bytes, agreesOnFiles: domain == AF_UNIX)
    }

    /// Judges what has come.
    ///
    /// - Parameters:
    ///   - bytes: all of it, from the beginning; 1 byte or more.
    ///   - agreesOnFiles: whether a line about the passing of files is part of it: on the machine's own sockets.
    static func progress(_ bytes: [UInt8], agreesOnFiles: Bool) -> Progress {
        var rest = bytes[...]
        guard var line = nextLine(&rest) else { return .begun }
        if line.elementsEqual(data) {
            guard let next = nextLine(&rest) else { return .begun }
            line = next
        }
        guard line.starts(with: consent) else { return .complete }
        if agreesOnFiles, nextLine(&rest) == nil { return .begun }
        return rest.isEmpty ? .complete : .overrun
    }

    private static func nextLine(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard let end = rest.firstRange(of: lineEnd) else { return nil }
        defer { rest = rest[end.upperBound...] }
        return rest[..<end.lowerBound]
    }
}
