internal import CTAP
internal import Glibc
internal import KeyBroker

/// The reports of a key that the broker has made: see `BrokerNotice`.
package final class BrokerReportChannel: ReportChannel {
    /// The broker's socket.
    package static let socketPath = BrokerNotice.socketPath
    /// More than a report has, so that a longer message is seen to be longer.
    private static let maxMessageByteCount = CTAPHIDReport.byteCount + 1
    /// Seconds.
    private static let longestWait = 10

    package let file: Int32

    /// Asks the broker for a key. It waits for as long as many other callers are before this one, 10 seconds at most.
    ///
    /// - Parameter path: the broker's socket.
    /// - Throws: `notAvailable` if there is no broker; `notPermitted`, `failed`.
    package init(at path: String = BrokerReportChannel.socketPath) throws(SecurityKeyError) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let name = Array(path.utf8)
        let fits = withUnsafeMutableBytes(of: &address.sun_path) { field in
            guard name.count < field.count else { return false }
            field.copyBytes(from: name)
            return true
        }
        guard fits else { throw SecurityKeyError(.failed, reason: "the path of the broker's socket is too long") }
        let file = socket(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard file >= 0 else { throw Self.failure(path) }
        // A caller who waits has a place in the kernel's queue; one who asks again and again has none.
        var limit = timeval(tv_sec: Self.longestWait, tv_usec: 0)
        setsockopt(file, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(file, $0, size) }
        }
        guard result == 0 else {
            defer { close(file) }
            throw Self.failure(path)
        }
        _ = fcntl(file, F_SETFL, O_NONBLOCK)
        self.file = file
    }

    /// Takes a connected socket of whole messages, which it closes in the end.
    package init(taking file: Int32) { self.file = file }

    deinit { close(file) }

    private static func failure(_ path: String) -> SecurityKeyError {
        let code: SecurityKeyError.Code =
            switch errno {
            case ENOENT, ECONNREFUSED: .notAvailable
            case EACCES: .notPermitted
            default: .failed
            }
        return SecurityKeyError(code, reason: "\(path): \(String(cString: strerror(errno)))")
    }

    package func next() throws(SecurityKeyError) -> ReportChannelEvent? {
        var count = 0
        let message = [UInt8](unsafeUninitializedCapacity: Self.maxMessageByteCount) { buffer, filled in
            count = recv(file, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
            filled = max(0, count)
        }
        if count < 0, [EAGAIN, EINTR].contains(errno) { return nil }
        switch count {
        case CTAPHIDReport.byteCount: return .report(message)
        case 1: return try event(message[0])
        case ...0: throw SecurityKeyError(.ended, reason: "the broker has ended the key")
        default: throw SecurityKeyError(.failed, reason: "the broker sent an invalid report")
        }
    }

    private func event(_ notice: UInt8) throws(SecurityKeyError) -> ReportChannelEvent {
        switch BrokerNotice(rawValue: notice) {
        case .started: return .started
        case .closed: return .closed
        case .tooMany: throw SecurityKeyError(.tooMany, reason: "you have the maximum number of keys of one user")
        case .notAvailable: throw SecurityKeyError(.notAvailable, reason: "the kernel offers no /dev/uhid")
        case .tooOften: throw SecurityKeyError(.tooOften, reason: "you have requested too many keys in a short time")
        case .notPermitted:
            throw SecurityKeyError(
                .noSession, reason: "the broker makes keys for users at the screen, and for those of its group")
        case .failed, nil: throw SecurityKeyError(.failed, reason: "the broker could not make a key")
        }
    }

    package func send(_ report: [UInt8]) throws(SecurityKeyError) -> Bool {
        if Glibc.send(file, report, report.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL)) >= 0 { return true }
        guard [EAGAIN, EINTR].contains(errno) else {
            throw SecurityKeyError(.ended, reason: "the broker has ended the key")
        }
        return false
    }
}
