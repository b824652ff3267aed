internal import Glibc
internal import Synchronization

/// The mark that a peer and all that it starts carry in their environment: by it they are found again, also in a
/// session or a process group of their own, and under another parent.
///
/// A run starts a peer for each of its cases, and one that forgot its children would leave hundreds. A process that
/// takes the variable out of its environment when it starts another loses this one: the mark is against children that a
/// peer forgot, not against those that it hides.
struct ChildMark: Sendable {
    /// The name of the variable.
    static let variable = "HYBRID_CHILD"
    /// The value: this process and a number, and a random number against an earlier process of the same number.
    let value: String

    private static let count = Atomic(0)
    private static let longestEnvironment = 1 << 20
    /// Scans after which processes that fork faster than they are killed are left alone.
    private static let mostScans = 64
    /// Scans without a process after which there is none.
    private static let mostEmptyScans = 2

    /// Makes a mark that no other child has.
    init() {
        let number = Self.count.wrappingAdd(1, ordering: .relaxed).newValue
        value = "\(getpid())-\(number)-\(UInt64.random(in: 0...UInt64.max))"
    }

    /// Kills every process that carries the mark, and returns when none is left that could start another.
    func killAll() {
        var emptyScans = 0
        for _ in 0..<Self.mostScans {
            let found = processes()
            emptyScans = found.isEmpty ? emptyScans + 1 : 0
            guard emptyScans < Self.mostEmptyScans else { return }
            for process in found { kill(process, SIGKILL) }
        }
    }

    /// The processes that carry the mark. Those that have ended, and wait for their parent, have no environment; nor
    /// has one for the moment in which it executes another program.
    private func processes() -> [pid_t] {
        guard let folder = opendir("/proc") else { return [] }
        defer { closedir(folder) }
        let needle = Array("\(Self.variable)=\(value)".utf8)
        var found: [pid_t] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
            }
            guard let process = pid_t(name), process != getpid(), Self.environment(of: process).contains(needle) else {
                continue
            }
            found.append(process)
        }
        return found
    }

    /// The variables of a process as `name=value`; none if it has ended or is another user's.
    private static func environment(of process: pid_t) -> [[UInt8]] {
        let file = open("/proc/\(process)/environ", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return [] }
        defer { close(file) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 14)
        while bytes.count < longestEnvironment {
            let count = read(file, &piece, piece.count)
            guard count > 0 else { break }
            bytes += piece[..<count]
        }
        return bytes.split(separator: 0).map(Array.init)
    }
}
