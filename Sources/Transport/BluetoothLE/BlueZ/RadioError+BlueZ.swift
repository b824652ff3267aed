internal import HybridProtocol
internal import LinuxSupport

// The errors of the system bus and of bluetoothd, as errors of the radio.

extension RadioError {
    private static let bluezErrors = "org.bluez.Error."

    /// Makes a radio's error of one of the bus.
    ///
    /// - Parameters:
    ///   - error: any but `cancelled`, which is not a failure of the radio.
    ///   - adapter: the name of the adapter that was in use; nil if none was yet.
    init(_ error: DBusError, of adapter: String?) {
        let prefix = adapter.map { "\($0): " } ?? ""
        let code: Code =
            switch error.code {
            case .noBus, .invalidAddress: SystemSandbox.current?.hidesBus == true ? .sandboxed : .noSystemBus
            case .notPermitted: .notPermitted
            case .disconnected: .serviceLost
            case .timeout: .unresponsive
            case .wrongType, .tooLarge: .invalidReply
            case .refused: Self.code(ofRefusal: error.name ?? "")
            case .cancelled, .failed: .failed
            }
        self.init(code, reason: prefix + error.reason)
    }

    private static func code(ofRefusal name: String) -> Code {
        switch name {
        case DBusError.Name.accessDenied, DBusError.Name.authFailed: .notPermitted
        case DBusError.Name.serviceUnknown, DBusError.Name.nameHasNoOwner: .noService
        case DBusError.Name.noReply, DBusError.Name.disconnected: .serviceLost
        case DBusError.Name.timeout: .unresponsive
        case DBusError.Name.unknownObject, DBusError.Name.unknownMethod, DBusError.Name.unknownInterface: .absent
        case bluezErrors + "NotReady", bluezErrors + "NotPowered": .poweredOff
        case bluezErrors + "Blocked": .blocked
        case bluezErrors + "InProgress", bluezErrors + "Busy": .busy
        case bluezErrors + "NotSupported": .noLowEnergy
        // Of an advert: the adapter has no instance left for it.
        case bluezErrors + "NotPermitted": .noInstance
        case bluezErrors + "InvalidLength": .advertTooLong
        case bluezErrors + "NotAuthorized": .notPermitted
        default: .failed
        }
    }
}
