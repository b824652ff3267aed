internal import Glibc
internal import LinuxSupport

/// Carries whole reports between a caller and the kernel, and nothing else: a program that holds /dev/uhid itself could
/// take the device away and make a keyboard of it.
package struct BrokerRelay: ~Copyable {
    private static let reportByteCount = 64
    /// More than a report has, so that a longer message is seen to be longer.
    private static let maxMessageByteCount = reportByteCount + 1

    private let caller: Int32
    private let device: UHIDDevice
    /// A message that the caller has not taken yet. Nothing is read from the kernel meanwhile.
    private var unsent: [UInt8]?

    /// Makes one.
    ///
    /// - Parameters:
    ///   - caller: the caller's socket, which stays open.
    ///   - device: the caller's device.
    init(between caller: Int32, and device: UHIDDevice) {
        self.caller = caller
        self.device = device
    }

    /// Makes a device for a caller.
    ///
    /// - Parameters:
    ///   - socket: the caller's socket, which stays open.
    ///   - caller: the caller, whose device it is.
    /// - Throws: `notAvailable` if the kernel offers no devices of programs; `failed`.
    package init(between socket: Int32, andDeviceOf caller: BrokerCaller) throws(BrokerRefusal) {
        do throws(UHIDError) {
            self.init(between: socket, and: try UHIDDevice(.securityKey(of: caller.user)))
        } catch {
            throw BrokerRefusal(error.code == .notAvailable ? .notAvailable : .failed, reason: error.reason)
        }
    }

    /// Carries until either side ends.
    ///
    /// - Returns: the reason, for the log; nil if the caller has left normally.
    package consuming func run() -> String? {
        while true {
            let isBlocked = unsent != nil
            let ready = PollThread.poll([
                (caller, Int32(POLLIN | (isBlocked ? POLLOUT : 0))), (isBlocked ? -1 : device.file, Int32(POLLIN)),
            ])
            if let message = unsent, ready[0] & Int32(POLLOUT) != 0 {
                unsent = nil
                guard send(message) else { return nil }
            }
            do throws(UHIDError) {
                if ready[0] & ~Int32(POLLOUT) != 0, let end = try takeFromCaller() { return end.reason }
                if unsent == nil, ready[1] != 0, try !takeFromKernel() { return nil }
            } catch {
                return error.reason
            }
        }
    }

    private struct End {
        let reason: String?
    }

    /// Passes on one message of the caller; returns the end if there is none, or it is not a report.
    private func takeFromCaller() throws(UHIDError) -> End? {
        var count = 0
        let message = [UInt8](unsafeUninitializedCapacity: Self.maxMessageByteCount) { buffer, filled in
            count = recv(caller, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
            filled = max(0, count)
        }
        if count < 0 { return [EAGAIN, EINTR].contains(errno) ? nil : End(reason: nil) }
        guard count > 0 else { return End(reason: nil) }
        guard count == Self.reportByteCount else { return End(reason: "the caller sent an invalid report") }
        do throws(UHIDError) {
            try device.send(message)
        } catch {
            // Nobody reads a report that is sent to a stopped device.
            guard error.code == .notStarted else { throw error }
        }
        return nil
    }

    /// Passes on one event of the kernel.
    ///
    /// - Returns: false if the caller is gone.
    private mutating func takeFromKernel() throws(UHIDError) -> Bool {
        switch try device.next() {
        case .start: return send([BrokerNotice.started.rawValue])
        case .close: return send([BrokerNotice.closed.rawValue])
        // Nothing else is a report of CTAPHID.
        case .output(let report): return report.count != Self.reportByteCount || send(report)
        case .getReport(let id): try device.refuseReport(id, isSetting: false)
        case .setReport(let id): try device.refuseReport(id, isSetting: true)
        case .stop, .open, .other, nil: break
        }
        return true
    }

    /// Sends the caller a message, now or when there is room.
    ///
    /// - Returns: false if the caller is gone.
    private mutating func send(_ message: [UInt8]) -> Bool {
        guard Glibc.send(caller, message, message.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL)) < 0 else {
            return true
        }
        guard [EAGAIN, EINTR].contains(errno) else { return false }
        unsent = message
        return true
    }
}

/// Notice of the broker to its caller, besides reports: a message of one byte.
///
/// The connection is a socket of whole messages (SOCK_SEQPACKET). A report is a message of 64 bytes, in both
/// directions; the caller sends nothing else, and the broker ends the connection of one that does. After a refusal the
/// connection ends.
package enum BrokerNotice: UInt8, Sendable, CaseIterable {
    /// The key is there.
    case started = 0x00
    /// The last program that had the key open has closed it.
    case closed = 0x01
    /// Refused: this user has as many keys as one may have.
    case tooMany = 0x10
    /// Refused: the kernel offers no /dev/uhid.
    case notAvailable = 0x11
    /// Refused: no key is made for this user.
    case notPermitted = 0x12
    /// Refused: the broker failed; its log says why.
    case failed = 0x13
    /// Refused: this user has asked for many keys in a short time, and may ask again in some seconds.
    case tooOften = 0x14

    /// The broker's socket.
    package static let socketPath = "/run/hybrid/key.socket"
}
