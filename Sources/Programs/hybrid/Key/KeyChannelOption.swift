import ArgumentParser
import CommandLine
import Glibc
import LinuxSupport
import SecurityKey

/// The way to a security key: the broker's, or the kernel's own for users who may open it.
struct KeyChannelOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The socket of the broker that makes the key. (default: /run/hybrid/key.socket; without one, /dev/uhid)",
            valueName: "socket"), completion: .file())
    var broker: String?

    /// Demands that a key can be made, before the user is asked for anything.
    ///
    /// - Throws: ``Failure``.
    func check() throws(Failure) {
        guard access(broker ?? BrokerReportChannel.socketPath, F_OK) != 0 else { return }
        if let broker {
            throw Failure(
                .usage, code: "no-broker", cause: "there is no \(broker)", hint: "check the socket given with --broker")
        }
        guard access(UHIDDevice.path, F_OK) == 0 else {
            throw Failure(SecurityKeyError(.notAvailable, reason: "there is no \(UHIDDevice.path), and no broker"))
        }
        guard access(UHIDDevice.path, R_OK | W_OK) == 0 else {
            throw Failure(
                SecurityKeyError(.notPermitted, reason: "there is no broker, and you may not use \(UHIDDevice.path)"))
        }
    }

    /// Makes a key. Programs see it from then on.
    ///
    /// - Throws: ``Failure``.
    func open() throws(Failure) -> any ReportChannel {
        do throws(SecurityKeyError) {
            let path = broker ?? BrokerReportChannel.socketPath
            if broker != nil || access(path, F_OK) == 0 { return try BrokerReportChannel(at: path) }
            return try KernelReportChannel(makingDeviceOf: getuid())
        } catch {
            throw Failure(error)
        }
    }
}

extension Failure {
    /// A security key that cannot be had, or has ended.
    init(_ error: SecurityKeyError) {
        let hint =
            switch error.code {
            case .notAvailable: "as root: modprobe uhid; a kernel without it has no such keys"
            case .notPermitted: "install the package hybrid, or as root: systemctl enable --now hybrid-key.socket"
            case .tooMany: "end one of the others first: each is a hybrid key that runs"
            case .ended: "start it again; the journal of hybrid-key@ may say more"
            case .failed: "as root, look into the journal: journalctl -u 'hybrid-key@*'"
            }
        self.init(
            error.code == .notPermitted || error.code == .tooMany ? .usage : .failure, code: error.code.rawValue,
            cause: error.reason, hint: hint)
    }
}
