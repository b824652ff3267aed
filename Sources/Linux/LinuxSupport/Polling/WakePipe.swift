internal import Glibc
package import SystemPackage

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
