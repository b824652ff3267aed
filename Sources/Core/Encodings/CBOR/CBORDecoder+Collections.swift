// Arrays and maps. Source: RFC 8949 sections 3.1 and 3.2.2; CTAP 2.2 section 8 for the order of keys.

extension CBORDecoder {
    /// The most elements that are reserved before any of them has been read, whatever the input claims.
    private static let largestReservation = 16

    /// The elements of an array.
    @_lifetime(self: copy self)
    mutating func elements(after head: CBORHead, depth: Int) throws(CBORError) -> [CBORValue] {
        var elements: [CBORValue] = []
        var left = head.argument
        elements.reserveCapacity(try reservation(for: head, itemsEach: 1))
        while let element = try nextHead(in: head, left: &left) {
            elements.append(try item(after: element, depth: depth))
        }
        return elements
    }

    /// The map whose keys may be of any kind and in any order; of equal keys the first counts.
    @_lifetime(self: copy self)
    mutating func map(after head: CBORHead, depth: Int) throws(CBORError) -> CBORMap {
        var entries: [CBORMap.Entry] = []
        var left = head.argument
        entries.reserveCapacity(try reservation(for: head, itemsEach: 2))
        while let keyHead = try nextHead(in: head, left: &left) {
            let key = try item(after: keyHead, depth: depth)
            entries.append(CBORMap.Entry(key: key, value: try item(depth: depth)))
        }
        return CBORMap(entries)
    }

    /// The map whose keys must be integers or strings in CTAP2's order, each once.
    @_lifetime(self: copy self)
    mutating func sortedMap(after head: CBORHead, depth: Int) throws(CBORError) -> CBORMap {
        var entries: [CBORMap.Entry] = []
        var left = head.argument
        var previous: (major: CBORMajorType, bytes: Range<Int>)?
        entries.reserveCapacity(try reservation(for: head, itemsEach: 2))
        while left > 0 {
            left -= 1
            let start = reader.offset
            let keyHead = try self.head()
            guard keyHead.major.rawValue <= CBORMajorType.text.rawValue else {
                throw unsupported("a map key that is neither an integer nor a string")
            }
            let key = try item(after: keyHead, depth: depth)
            let bytes = start..<reader.offset
            if let previous { try check(order(of: previous, to: (keyHead.major, bytes)), at: start) }
            previous = (keyHead.major, bytes)
            entries.append(CBORMap.Entry(key: key, value: try value(of: key, depth: depth)))
        }
        return CBORMap(sorted: entries)
    }

    private func order(
        of left: (major: CBORMajorType, bytes: Range<Int>), to right: (major: CBORMajorType, bytes: Range<Int>)
    ) -> CBOROrder {
        left.major == right.major
            ? reader.order(of: left.bytes, to: right.bytes) : CBOROrder(left.major.rawValue, right.major.rawValue)
    }

    private func check(_ order: CBOROrder, at start: Int) throws(CBORError) {
        switch order {
        case .before: break
        case .same: throw CBORError(.duplicateKey, reason: "the same key again at byte \(start)")
        case .after: throw CBORError(.unsortedKeys, reason: "a key out of order at byte \(start)")
        }
    }

    /// The head of the next element; nil after the last one.
    @_lifetime(self: copy self)
    private mutating func nextHead(in collection: CBORHead, left: inout UInt64) throws(CBORError) -> CBORHead? {
        if !collection.isIndefinite {
            guard left > 0 else { return nil }
            left -= 1
            return try head()
        }
        let next = try head()
        return next.isBreak ? nil : next
    }

    /// The number of elements to make room for. A count that the rest of the input cannot hold is refused at once.
    private func reservation(for head: CBORHead, itemsEach: UInt64) throws(CBORError) -> Int {
        // Each item takes one byte or more.
        guard head.argument <= UInt64(reader.remaining) / itemsEach else {
            throw CBORError(.truncated, reason: "more elements than bytes left at byte \(reader.offset)")
        }
        return min(Int(head.argument), Self.largestReservation)
    }
}
