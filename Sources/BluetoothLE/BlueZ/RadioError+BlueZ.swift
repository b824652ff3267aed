internal import CSystemd
internal import Edges

// What the errors of the system bus and of bluetoothd are to a person.

extension RadioError {
    private static let bluezErrors = "org.bluez.Error."

    /// Makes a radio's error of one of the bus.
    ///
    /// - Parameters:
    ///   - error: any but `cancelled`, which is no failure of the radio.
    ///   - adapter: the name of the adapter that was in use; nil if none was yet.
    init(_ error: DBusError, of adapter: String?) {
        let prefix = adapter.map { "\($0): " } ?? ""
        let code: Code =
            switch error.code {
            case .noBus, .invalidAddress: SystemSandbox.isPresent ? .sandboxed : .noSystemBus
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
        case SD_BUS_ERROR_ACCESS_DENIED, SD_BUS_ERROR_AUTH_FAILED: .notPermitted
        case SD_BUS_ERROR_SERVICE_UNKNOWN, SD_BUS_ERROR_NAME_HAS_NO_OWNER: .noService
        case SD_BUS_ERROR_NO_REPLY, SD_BUS_ERROR_DISCONNECTED: .serviceLost
        case SD_BUS_ERROR_TIMEOUT: .unresponsive
        case SD_BUS_ERROR_UNKNOWN_OBJECT, SD_BUS_ERROR_UNKNOWN_METHOD, SD_BUS_ERROR_UNKNOWN_INTERFACE: .absent
        case bluezErrors + "NotReady", bluezErrors + "NotPowered": .poweredOff
        case bluezErrors + "Blocked": .blocked
        case bluezErrors + "NotSupported": .noLowEnergy
        // Of an advert: the adapter has no instance left for it.
        case bluezErrors + "NotPermitted": .noInstance
        case bluezErrors + "InvalidLength": .advertTooLong
        case bluezErrors + "NotAuthorized": .notPermitted
        default: .failed
        }
    }
}
