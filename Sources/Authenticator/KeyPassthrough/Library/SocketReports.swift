internal import COptionalLibraries
internal import Glibc
internal import LinuxSupport

/// A key's reports as the messages of a socket, for labs and tests on machines without HID devices.
enum SocketReports {
    private static let byteCount = 64

    static var functions: fido_dev_io_t {
        fido_dev_io_t(open: open, close: close, read: read, write: write)
    }

    /// A file as the pointer that the library keeps: one more, since a null pointer is a failure.
    private static func handle(_ file: Int32) -> UnsafeMutableRawPointer? {
        UnsafeMutableRawPointer(bitPattern: Int(file) + 1)
    }

    private static func file(_ handle: UnsafeMutableRawPointer?) -> Int32 {
        Int32(clamping: Int(bitPattern: handle) - 1)
    }

    private static let open: @convention(c) (UnsafePointer<CChar>?) -> UnsafeMutableRawPointer? = { path in
        guard let path else { return nil }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let size = strlen(path)
        let fits = withUnsafeMutableBytes(of: &address.sun_path) { field in
            guard size < field.count else { return false }
            field.copyMemory(from: UnsafeRawBufferPointer(start: path, count: size))
            return true
        }
        guard fits else { return nil }
        let file = socket(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard file >= 0 else { return nil }
        let length = socklen_t(MemoryLayout<sockaddr_un>.size)
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(file, $0, length) }
        }
        guard result == 0 else {
            Glibc.close(file)
            return nil
        }
        return handle(file)
    }

    private static let close: @convention(c) (UnsafeMutableRawPointer?) -> Void = { Glibc.close(file($0)) }

    /// Reads a report: its length, or −1.
    private static let read:
        @convention(c) (UnsafeMutableRawPointer?, UnsafeMutablePointer<UInt8>?, Int, Int32) -> Int32 = {
            handle, buffer, size, milliseconds in
            guard let buffer, size >= byteCount else { return -1 }
            let limit: Duration? = milliseconds < 0 ? nil : .milliseconds(milliseconds)
            guard PollThread.poll([(file(handle), Int32(POLLIN))], atMost: limit)[0] != 0 else { return -1 }
            let count = recv(file(handle), buffer, size, Int32(MSG_DONTWAIT))
            return count == byteCount ? Int32(byteCount) : -1
        }

    /// Writes a report, before which stands the number 0.
    private static let write: @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<UInt8>?, Int) -> Int32 = {
        handle, buffer, size in
        guard let buffer, size == byteCount + 1 else { return -1 }
        let sent = send(file(handle), buffer + 1, byteCount, Int32(MSG_NOSIGNAL))
        return sent == byteCount ? Int32(clamping: size) : -1
    }
}
