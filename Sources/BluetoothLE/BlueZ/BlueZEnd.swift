internal import Edges

/// What ends a scan or an advert before its time.
enum BlueZEnd: Sendable, Hashable {
    case serviceGone, adapterGone, poweredOff, released
    case disconnected(String)

    func error(_ adapter: String) -> RadioError {
        switch self {
        case .serviceGone: RadioError(.serviceLost, reason: "bluetoothd ended while \(adapter) was in use")
        case .adapterGone: RadioError(.absent, reason: "\(adapter) was unplugged while it was in use")
        case .poweredOff:
            SystemRadioSwitch.blocks(adapter)
                ? RadioError(.blocked, reason: "\(adapter) was blocked by rfkill while it was in use")
                : RadioError(.poweredOff, reason: "\(adapter) was powered off while it was in use")
        case .released: RadioError(.failed, reason: "bluetoothd took the advert of \(adapter) off the air")
        case .disconnected(let reason): RadioError(.serviceLost, reason: reason)
        }
    }
}
