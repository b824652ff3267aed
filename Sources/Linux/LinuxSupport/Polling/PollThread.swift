internal import Glibc
package import SystemPackage

/// Threads that poll, so that no task blocks.
package enum PollThread {
    /// Runs `body` on a thread of its own.
    ///
    /// - Throws: `Errno` if the system has no thread left; then `body` is not run.
    package static func start(_ body: @escaping @Sendable () -> Void) throws(Errno) {
        let box = Unmanaged.passRetained(Body(body))
        var thread = pthread_t()
        let result = pthread_create(
            &thread, nil,
            { box in
                if let box { Unmanaged<Body>.fromOpaque(box).takeRetainedValue().run() }
                return nil
            }, box.toOpaque())
        guard result == 0 else {
            box.release()
            throw Errno(rawValue: result)
        }
        pthread_detach(thread)
    }

    private final class Body: Sendable {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Sleeps until a file is ready or the time is up.
    ///
    /// - Parameters:
    ///   - files: each with the events of poll(2) that are waited for; a negative file is passed over.
    ///   - limit: the longest time to sleep; nil for no limit.
    /// - Returns: the events of each file; 0 for all if the time is up.
    @discardableResult
    package static func poll(_ files: [(Int32, Int32)], atMost limit: Duration? = nil) -> [Int32] {
        var polled = files.map { pollfd(fd: $0.0, events: Int16(truncatingIfNeeded: $0.1), revents: 0) }
        let milliseconds = limit.map { limit in
            Int32(
                clamping: limit.components.seconds &* 1_000 &+ limit.components.attoseconds / 1_000_000_000_000_000 &+ 1
            )
        }
        let count = Glibc.poll(&polled, nfds_t(polled.count), milliseconds ?? -1)
        return polled.map { count > 0 ? Int32($0.revents) : 0 }
    }
}

/// A pipe that wakes a thread that polls; no program started from this process inherits it.
package final class WakePipe: Sendable {
    private let readEnd: FileDescriptor
    private let writeEnd: FileDescriptor

    /// Readable while there is a signal.
    package var file: Int32 { readEnd.rawValue }

    /// Makes a pipe without a signal.
    ///
    /// - Throws: `Errno` if the system has no file left.
    package init() throws(Errno) {
        (readEnd, writeEnd) = try FileDescriptor.pipe(options: [.closeOnExec, .nonBlocking])
    }

    deinit {
        close(readEnd.rawValue)
        close(writeEnd.rawValue)
    }

    /// Wakes the thread that polls ``file``, now or later.
    package func signal() {
        // It cannot fail but for a full pipe, and then there is a signal already.
        var byte: UInt8 = 0
        _ = write(writeEnd.rawValue, &byte, 1)
    }

    /// Takes all signals from the pipe.
    package func drain() {
        var bytes: InlineArray<64, UInt8> = .init(repeating: 0)
        var span = bytes.mutableSpan
        span.withUnsafeMutableBytes { while read(file, $0.baseAddress, $0.count) == $0.count {} }
    }
}
