import Foundation

/// The memory that this process holds now.
public enum ResidentMemory {
    /// Bytes, as the kernel tells in /proc/self/statm.
    public static func ofThisProcess() throws -> Int {
        let fields = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
        guard fields.count > 1, let pages = Int(fields[1]) else { throw CocoaError(.fileReadCorruptFile) }
        return pages * sysconf(Int32(_SC_PAGESIZE))
    }
}

/// The sockets that this process holds open now.
public enum OpenSockets {
    /// Their number, as the kernel tells in /proc/self/fd.
    public static func ofThisProcess() throws -> Int {
        let descriptors = "/proc/self/fd/"
        return try FileManager.default.contentsOfDirectory(atPath: descriptors).count {
            (try? FileManager.default.destinationOfSymbolicLink(atPath: descriptors + $0))?.hasPrefix("socket:") == true
        }
    }
}
