/// Elements in the order in which they came, each of a group, out of which the oldest of a largest group can be
/// taken.
///
/// Everything takes constant time, on average over many changes.
struct FairQueue<Group: Hashable & Sendable, Element: Hashable & Sendable>: Sendable {
    /// The elements of a group, oldest first. Those that were removed stay until enough of them have gathered.
    private struct Line {
        var elements: [Element] = []
        var start = 0
        var count = 0
    }

    private static var smallestGapToClose: Int { 16 }

    private var groups: [Element: Group] = [:]
    private var lines: [Group: Line] = [:]
    private var groupsByCount: [Int: Set<Group>] = [:]
    private var largestCount = 0

    /// The number of elements.
    var count: Int { groups.count }

    /// Adds an element that has not been here before.
    mutating func append(_ element: Element, of group: Group) {
        groups[element] = group
        var line = lines.removeValue(forKey: group) ?? Line()
        line.elements.append(element)
        line.count += 1
        move(group, from: line.count - 1, to: line.count)
        lines[group] = line
    }

    /// Removes an element, if it is here.
    mutating func remove(_ element: Element) {
        guard let group = groups.removeValue(forKey: element), var line = lines.removeValue(forKey: group) else {
            return
        }
        line.count -= 1
        move(group, from: line.count + 1, to: line.count)
        guard line.count > 0 else { return }
        if line.elements.count > 2 * line.count + Self.smallestGapToClose {
            line.elements = line.elements[line.start...].filter { groups[$0] != nil }
            line.start = 0
        }
        lines[group] = line
    }

    /// Removes the oldest element of a group than which none is larger.
    ///
    /// - Returns: `nil` if there is none.
    mutating func removeOldestOfLargestGroup() -> Element? {
        guard let group = groupsByCount[largestCount]?.first, var line = lines.removeValue(forKey: group) else {
            return nil
        }
        while line.start < line.elements.count, groups[line.elements[line.start]] == nil { line.start += 1 }
        guard line.start < line.elements.count else { return nil }
        let oldest = line.elements[line.start]
        lines[group] = line
        remove(oldest)
        return oldest
    }

    private mutating func move(_ group: Group, from old: Int, to new: Int) {
        groupsByCount[old]?.remove(group)
        if groupsByCount[old]?.isEmpty == true { groupsByCount[old] = nil }
        if new > 0 { groupsByCount[new, default: []].insert(group) }
        if new > largestCount || groupsByCount[largestCount] == nil { largestCount = new }
    }
}
