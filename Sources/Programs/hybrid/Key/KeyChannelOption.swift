import ArgumentParser
import CommandLine
import Glibc
import LinuxSupport
import SecurityKey

/// The way to a security key: the broker's, or the kernel's own for users who may open it.
struct KeyChannelOption: ParsableArguments {
    @Option(
        help: .saying(
            "The socket of the broker that makes the key. (default: /run/hybrid/key.socket; without one, /dev/uhid)",
            valueName: "socket"), completion: .file())
    var broker: String?

    /// Demands that a key can be made, before the user is asked for anything.
    ///
    /// - Throws: `Failure`; `SecurityKeyError`.
    func check() throws {
        guard access(broker ?? BrokerReportChannel.socketPath, F_OK) != 0 else { return }
        if let broker {
            throw Failure(
                .usage, code: "no-broker", cause: "there is no \(broker)", hint: "check the socket given with --broker")
        }
        guard access(UHIDDevice.path, F_OK) == 0 else {
            throw SecurityKeyError(.notAvailable, reason: "there is no \(UHIDDevice.path), and no broker")
        }
        guard access(UHIDDevice.path, R_OK | W_OK) == 0 else {
            throw SecurityKeyError(
                .notPermitted, reason: "there is no broker, and you may not use \(UHIDDevice.path)")
        }
    }

    /// Makes a key. Programs see it from then on.
    ///
    func open() throws(SecurityKeyError) -> any ReportChannel {
        let path = broker ?? BrokerReportChannel.socketPath
        if broker != nil || access(path, F_OK) == 0 { return try BrokerReportChannel(at: path) }
        return try KernelReportChannel(makingDeviceOf: getuid())
    }
}
