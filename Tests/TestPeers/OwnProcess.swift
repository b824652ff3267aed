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

/// The UDP sockets that this process holds open now.
public enum OpenSockets {
    private static let tables = ["/proc/self/net/udp", "/proc/self/net/udp6"]
    private static let inodeColumn = 9

    /// Their number: those of /proc/self/fd that stand in the kernel's tables of UDP sockets.
    public static func udpOfThisProcess() throws -> Int {
        var names: Set<String> = []
        for table in tables {
            for line in try String(contentsOfFile: table, encoding: .utf8).split(separator: "\n").dropFirst() {
                let columns = line.split(separator: " ")
                if columns.count > inodeColumn { names.insert("socket:[\(columns[inodeColumn])]") }
            }
        }
        let descriptors = "/proc/self/fd/"
        return try FileManager.default.contentsOfDirectory(atPath: descriptors).count { descriptor in
            // A descriptor may be closed between the listing and this look.
            (try? FileManager.default.destinationOfSymbolicLink(atPath: descriptors + descriptor))
                .map(names.contains) == true
        }
    }
}
