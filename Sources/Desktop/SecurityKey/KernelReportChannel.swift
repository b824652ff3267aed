internal import KeyBroker
package import LinuxSupport

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
            // Nobody reads what is sent to a device that is stopped.
            guard error.code == .notStarted else { throw SecurityKeyError(.ended, from: error) }
        }
        return true
    }
}
