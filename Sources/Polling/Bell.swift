internal import Glibc

/// Wakes a thread that polls: both ends of a pipe, which no program started from this process inherits.
package final class Bell: Sendable {
    /// Readable when the bell has rung.
    package let file: Int32
    private let clapper: Int32

    /// Makes a bell that is silent.
    ///
    /// - Throws: ``PollingError`` if the system has no file left.
    package init() throws(PollingError) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw PollingError(number: errno) }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        (file, clapper) = (ends[0], ends[1])
    }

    deinit {
        close(file)
        close(clapper)
    }

    /// Wakes whoever polls ``file``, now or later.
    package func ring() {
        // It cannot fail but for a full pipe, and then the bell rings already.
        var ring: UInt8 = 0
        _ = write(clapper, &ring, 1)
    }

    /// Makes the bell silent until it rings again.
    package func hush() {
        var rings: InlineArray<64, UInt8> = .init(repeating: 0)
        var span = rings.mutableSpan
        span.withUnsafeMutableBytes { while read(file, $0.baseAddress, $0.count) == $0.count {} }
    }
}
