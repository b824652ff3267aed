internal import Edges

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Musl
#endif

/// Wakes a thread that polls: both ends of a pipe.
final class Bell: Sendable {
    /// Readable when the bell has rung.
    let file: Int32
    private let clapper: Int32

    /// - Throws: ``DataChannelError`` with `unreachable` if no file is left.
    init() throws(DataChannelError) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw .failed(.unreachable, "no file is left", errno) }
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

    func ring() {
        // It cannot fail but for a full pipe, and then the bell rings already.
        var ring: UInt8 = 0
        _ = write(clapper, &ring, 1)
    }

    /// Makes the bell silent until it rings again.
    func hush() {
        var rings: InlineArray<64, UInt8> = .init(repeating: 0)
        var span = rings.mutableSpan
        span.withUnsafeMutableBytes { while read(file, $0.baseAddress, $0.count) == $0.count {} }
    }
}
