import Foundation

/// The memory that this process holds now, the service and its peers together.
enum ResidentMemory {
    /// Bytes, as the kernel tells in /proc/self/statm.
    static func ofThisProcess() throws -> Int {
        let fields = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
        guard fields.count > 1, let pages = Int(fields[1]) else { throw CocoaError(.fileReadCorruptFile) }
        return pages * sysconf(Int32(_SC_PAGESIZE))
    }
}
