internal import Glibc
internal import LinuxSupport

/// The process of one key, and the socket that the system's manager has passed to the broker.
package enum BrokerProcess {
    /// Files above this are none of ours: hybrid-key.service allows no more.
    private static let maxFileCount: Int32 = 1_024
    /// The first socket that the manager passes (sd_listen_fds(3)).
    private static let firstPassed: Int32 = 3

    /// The socket that listens for callers.
    ///
    /// - Throws: `failed` if none was passed to this process, or another kind of file.
    package static func passedListener() throws(BrokerRefusal) -> Int32 {
        guard ProcessEnvironment.value("LISTEN_FDS") == "1",
            ProcessEnvironment.value("LISTEN_PID") == "\(getpid())"
        else { throw BrokerRefusal(.failed, reason: "no socket was passed. hybrid-key.socket starts this program") }
        guard option(SO_ACCEPTCONN) == 1, option(SO_DOMAIN) == AF_UNIX,
            option(SO_TYPE) == Int32(SOCK_SEQPACKET.rawValue)
        else { throw BrokerRefusal(.failed, reason: "the file that was passed is not a listening socket for keys") }
        return firstPassed
    }

    private static func option(_ name: Int32) -> Int32? {
        var value: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(firstPassed, SOL_SOCKET, name, &value, &size) == 0 ? value : nil
    }

    /// Starts a process that has the caller's socket, the log, and no other file of this one. This process must have
    /// one thread alone.
    ///
    /// - Parameters:
    ///   - caller: the caller's socket.
    ///   - body: the work of the process, which ends with it.
    /// - Throws: `failed` if the system has no process or file left.
    package static func start(
        for caller: Int32, _ body: () -> Void
    ) throws(BrokerRefusal) -> BrokerServer.Process {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw failure("no pipe") }
        let child = fork()
        guard child != 0 else {
            for file in firstPassed..<maxFileCount where file != caller && file != ends[1] { close(file) }
            body()
            exit(0)
        }
        close(ends[1])
        guard child > 0 else {
            let failure = failure("no process")
            close(ends[0])
            throw failure
        }
        return BrokerServer.Process(number: child, end: ends[0])
    }

    private static func failure(_ what: String) -> BrokerRefusal {
        BrokerRefusal(.failed, reason: "\(what) can be made: \(String(cString: strerror(errno)))")
    }
}
