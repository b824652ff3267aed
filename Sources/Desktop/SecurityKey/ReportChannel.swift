@_exported public import Encodings
internal import KeyBroker
package import LinuxSupport

/// The way of a security key's reports to and from the programs that use it.
package protocol ReportChannel: Sendable {
    /// The file to poll: readable when ``next()`` has an event.
    var file: Int32 { get }

    /// The next event; nil if there is none yet.
    ///
    /// - Throws: ``SecurityKeyError``; the channel is of no more use then.
    func next() throws(SecurityKeyError) -> ReportChannelEvent?

    /// Sends a report of 64 bytes to the programs. It does not wait.
    ///
    /// - Returns: false if the report cannot be taken now, and must be sent again later.
    /// - Throws: ``SecurityKeyError``; the channel is of no more use then.
    func send(_ report: [UInt8]) throws(SecurityKeyError) -> Bool
}

/// Event of a ``ReportChannel``.
package enum ReportChannelEvent: Sendable, Equatable {
    /// The key is there: programs can use it.
    case started
    /// A program has sent a report, which should have 64 bytes.
    case report([UInt8])
    /// The last program that had the key open has closed it.
    case closed
    /// Anything else.
    case other
}

/// A failure to have a security key, or the end of one.
package typealias SecurityKeyError = CodedError<SecurityKeyErrorCode>

/// The kind of failure.
package enum SecurityKeyErrorCode: String, ErrorCode {
    /// The kernel offers no /dev/uhid.
    case notAvailable = "no-uhid"
    /// Neither the broker nor /dev/uhid may be used.
    case notPermitted = "uhid-not-permitted"
    /// The broker makes keys for users at the screen alone, and those of its group.
    case noSession = "no-active-session"
    /// The broker has made as many keys for this user as one may have.
    case tooMany = "too-many-keys"
    /// This user has asked the broker for many keys in a short time.
    case tooOften = "too-many-calls"
    /// The key was taken away: the kernel or the broker has ended it.
    case ended = "key-ended"
    /// Anything else.
    case failed = "key-failed"
}

/// The reports of a HID device that the kernel makes for this process (/dev/uhid).
package struct KernelReportChannel: ReportChannel {
    private let device: UHIDDevice

    /// Carries the reports of a device.
    package init(_ device: UHIDDevice) { self.device = device }

    /// Has the kernel make a key.
    ///
    /// - Parameter user: the user for whom it is.
    /// - Throws: `notAvailable`, `notPermitted`, `failed`.
    package init(makingDeviceOf user: UInt32) throws(SecurityKeyError) {
        do throws(UHIDError) {
            device = try UHIDDevice(.securityKey(of: user))
        } catch {
            let code: SecurityKeyError.Code =
                switch error.code {
                case .notAvailable: .notAvailable
                case .notPermitted: .notPermitted
                default: .failed
                }
            throw SecurityKeyError(code, from: error)
        }
    }

    package var file: Int32 { device.file }

    package func next() throws(SecurityKeyError) -> ReportChannelEvent? {
        do throws(UHIDError) {
            switch try device.next() {
            case .start: return .started
            case .output(let report): return .report(report)
            case .close: return .closed
            case .getReport(let id): try device.refuseReport(id, isSetting: false)
            case .setReport(let id): try device.refuseReport(id, isSetting: true)
            case .stop, .open, .other: break
            case nil: return nil
            }
            return .other
        } catch {
            throw SecurityKeyError(.ended, from: error)
        }
    }

    package func send(_ report: [UInt8]) throws(SecurityKeyError) -> Bool {
        do throws(UHIDError) {
            try device.send(report)
        } catch {
            // Nobody reads a report that is sent to a stopped device.
            guard error.code == .notStarted else { throw SecurityKeyError(.ended, from: error) }
        }
        return true
    }
}
