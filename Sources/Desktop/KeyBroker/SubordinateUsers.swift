internal import LinuxSupport

/// The users that other users have for their containers (subuid(5)): each counts as its owner, who can be all of them.
package struct SubordinateUsers: Sendable {
    /// The longest file that is read, in bytes.
    private static let maxByteCount = 1 << 20

    private struct Range {
        var first: UInt32
        /// The last of them, itself included.
        let last: UInt32
        let owner: UInt32
    }

    /// In order, and none overlaps another.
    private let ranges: [Range]

    /// Reads the tables.
    ///
    /// - Parameters:
    ///   - table: the path of /etc/subuid; a file that is not there has no ranges.
    ///   - names: the path of /etc/passwd, for owners who stand there by name. One who is not in it owns their range
    ///     under its first number, which is nobody's.
    /// - Returns: nil if a file is longer than 1 MiB or cannot be read.
    package init?(table: String = "/etc/subuid", names: String = "/etc/passwd") {
        guard SystemFile.exists(table) else {
            self.init(table: [], names: [])
            return
        }
        guard let table = SystemFile.contents(of: table, limit: Self.maxByteCount),
            let names = SystemFile.contents(of: names, limit: Self.maxByteCount)
        else { return nil }
        self.init(table: table, names: names)
    }

    init(table: [UInt8], names: [UInt8]) {
        let users = Dictionary(
            Self.fields(of: names).compactMap { fields in
                fields.count > 2 ? UInt32(fields[2]).map { (fields[0], $0) } : nil
            }, uniquingKeysWith: { first, _ in first })
        let sorted = Self.fields(of: table).compactMap { fields -> Range? in
            guard fields.count == 3, let first = UInt32(fields[1]), let count = UInt32(fields[2]), count > 0 else {
                return nil
            }
            let (last, isTooLong) = first.addingReportingOverflow(count - 1)
            return Range(
                first: first, last: isTooLong ? .max : last, owner: UInt32(fields[0]) ?? users[fields[0]] ?? first)
        }.sorted { $0.first < $1.first }
        var ranges: [Range] = []
        for var range in sorted {
            if let last = ranges.last?.last {
                guard range.last > last else { continue }
                range.first = max(range.first, last + 1)
            }
            ranges.append(range)
        }
        self.ranges = ranges
    }

    private static func fields(of file: [UInt8]) -> [[String]] {
        file.split(separator: UInt8(ascii: "\n")).map { line in
            line.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
                .map { String(decoding: $0, as: UTF8.self) }
        }
    }

    /// The user as whom a user counts: the owner of the range that it is in, or itself.
    package func owner(of user: UInt32) -> UInt32 {
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].last < user { low = middle + 1 } else { high = middle }
        }
        return low < ranges.count && ranges[low].first <= user ? ranges[low].owner : user
    }
}
