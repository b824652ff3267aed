internal import CSystemd
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
        /// The service does what it should: see ``watchdogTime``.
        case alive = "WATCHDOG=1"
    }

    /// Tells the manager the state of the service.
    ///
    /// - Returns: false if no manager has asked to be told, or it cannot be reached: then it ends a service that it
    ///   waits for, when its time is over.
    @discardableResult
    package static func tell(_ state: State) -> Bool {
        // When a reload began is asked for by Type=notify-reload.
        let time = state == .reloading ? "\nMONOTONIC_USEC=\(monotonicMicroseconds)" : ""
        return sd_notify(0, state.rawValue + time) > 0
    }

    /// The time within which the manager wants to be told ``State/alive`` again, or it ends the service; `nil` if it
    /// does not.
    package static var watchdogTime: Duration? {
        var microseconds: UInt64 = 0
        return sd_watchdog_enabled(0, &microseconds) > 0 ? .microseconds(Int64(clamping: microseconds)) : nil
    }

    /// The sockets that the manager has passed, which listen. They are the caller's from now on, and programs that
    /// this process starts are not told of them.
    package static func takeSockets() -> [CInt] {
        let count = sd_listen_fds(1)
        return count > 0 ? (0..<count).map { SD_LISTEN_FDS_START + $0 } : []
    }

    private static var monotonicMicroseconds: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
    }
}
