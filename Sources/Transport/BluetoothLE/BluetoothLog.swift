internal import LinuxSupport
internal import Logging

/// Log of the use of Bluetooth without bluetoothd: at debug each command to the kernel and each connection, at trace
/// the kernel's unsolicited messages. No address is in it. bluetoothd's calls are in the log of the bus.
enum BluetoothLog {
    private static let logger = Logger(label: "bluetooth")

    /// Notes a step.
    static func note(_ step: String) { logger.debug("\(step)") }

    /// Notes the kernel's answer to a command.
    static func note(_ request: ManagementRequest, after time: Duration, _ answer: ManagementAnswer) {
        let status = String(answer.status.rawValue, radix: 16)
        let controller = request.index == ManagementRequest.noController ? "" : " hci\(request.index)"
        logger.debug("\(request.command)\(controller): status 0x\(status), \(time.wholeMilliseconds) ms")
    }

    /// Notes an unsolicited message of the kernel.
    static func note(_ packet: ManagementPacket) {
        let text =
            switch packet.event {
            case .deviceFound(let device): "device found, \(device.data.count) bytes, \(device.rssi ?? 0) dBm"
            case .discovering(let isOn): "discovery \(isOn ? "on" : "off")"
            case .advertisingRemoved(let instance): "advertising instance \(instance) removed"
            case .indexRemoved: "controller removed"
            case .newSettings(let settings): "settings 0x\(String(settings.rawValue, radix: 16))"
            case .answer, .other: "event"
            }
        logger.trace("hci\(packet.index): \(text)")
    }
}
