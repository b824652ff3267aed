internal import CLinux
import Glibc

/// The service manager that has started this process, if one has: systemd, or another that speaks its protocol,
/// sd_notify(3).
package enum ServiceManager {
    /// States of a service that the manager waits for.
    package enum State: String {
        /// The service can be used: it listens.
        case ready = "READY=1"
        /// The service reads its settings again; ``ready`` follows.
        case reloading = "RELOADING=1"
        /// The service has begun to end.
        case stopping = "STOPPING=1"
        /// The service works: see ``watchdogTime``.
        case alive = "WATCHDOG=1"
    }

    /// Tells the manager the state of the service.
    ///
    /// - Returns: false if no manager has asked to be told, or it cannot be reached: then it ends a service that it
    ///   waits for, when its time is over.
    @discardableResult
    package static func tell(_ state: State) -> Bool {
        guard isThere else { return false }
        // When a reload began is asked for by Type=notify-reload.
        let time = state == .reloading ? "\nMONOTONIC_USEC=\(monotonicMicroseconds)" : ""
        return notify(0, state.rawValue + time) > 0
    }

    /// The time within which the manager wants to be told ``State/alive`` again, or it ends the service; `nil` if it
    /// does not.
    package static var watchdogTime: Duration? {
        guard isThere else { return nil }
        var microseconds: UInt64 = 0
        return watchdogEnabled(0, &microseconds) > 0 ? .microseconds(Int64(clamping: microseconds)) : nil
    }

    /// The sockets that the manager has passed, which listen. They are the caller's from now on, and programs that
    /// this process starts are not told of them.
    package static func takeSockets() -> [CInt] {
        guard isThere else { return [] }
        let count = listenFiles(1)
        return count > 0 ? (0..<count).map { SD_LISTEN_FDS_START + $0 } : []
    }

    private static let notify: sd_notify_function = SystemdLibrary.function("sd_notify")
    private static let watchdogEnabled: sd_watchdog_enabled_function = SystemdLibrary.function("sd_watchdog_enabled")
    private static let listenFiles: sd_listen_fds_function = SystemdLibrary.function("sd_listen_fds")

    /// True if a manager may have started this process: the library is loaded for nobody else.
    private static var isThere: Bool {
        ["NOTIFY_SOCKET", "WATCHDOG_USEC", "LISTEN_FDS"].contains { ProcessEnvironment.value($0) != nil }
            && SystemdLibrary.isAvailable
    }

    private static var monotonicMicroseconds: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
    }
}
