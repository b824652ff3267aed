import Captures
import CommandLine
import Glibc
import SystemPackage

/// A capture file that is read in pieces.
final class CaptureFile {
    let path: String
    let byteCount: Int
    private let file: Int32
    private let start: [UInt8]

    private static let chunk = 1 << 18

    /// Opens a file that begins as a capture does.
    ///
    /// - Returns: nil if there is no such file.
    init?(_ path: String) {
        guard !path.isEmpty else { return nil }
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        guard file >= 0 else { return nil }
        var status = stat()
        var start = [UInt8](repeating: 0, count: CaptureReader.magicByteCount)
        let count =
            fstat(file, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
            ? start.withUnsafeMutableBytes { pread(file, $0.baseAddress, $0.count, 0) } : 0
        start.removeLast(start.count - max(0, count))
        guard CaptureReader(start: start) != nil else {
            close(file)
            return nil
        }
        self.path = path
        self.file = file
        self.start = start
        byteCount = Int(status.st_size)
    }

    deinit { close(file) }

    /// True if another file is this one: to write there would destroy it.
    func isSame(as other: String) -> Bool {
        var (own, its) = (stat(), stat())
        return fstat(file, &own) == 0 && stat(other, &its) == 0 && own.st_dev == its.st_dev && own.st_ino == its.st_ino
    }

    /// Reads the packets.
    ///
    /// - Parameters:
    ///   - progress: gets the number of bytes that were read, now and then.
    ///   - take: gets each packet.
    /// - Returns: false if the file ends in the middle of a record.
    /// - Throws: ``CaptureError``, `Errno`; `CancellationError`.
    func read(progress: (Int) -> Void, take: (CapturedPacket) -> Void) throws -> Bool {
        guard var reader = CaptureReader(start: start) else { return false }
        var chunk = [UInt8](repeating: 0, count: Self.chunk)
        while true {
            try Task.checkCancellation()
            let count = chunk.withUnsafeMutableBytes { Glibc.read(file, $0.baseAddress, $0.count) }
            if count < 0 {
                guard errno == EINTR else { throw Errno.last }
                continue
            }
            guard count > 0 else { return reader.isBetweenRecords }
            reader.append(Array(chunk.prefix(count)))
            while let packet = try reader.next() { take(packet) }
            progress(reader.offset)
        }
    }

    /// The name of the format.
    var formatName: String { CaptureReader(start: start)?.formatName ?? "" }
}
