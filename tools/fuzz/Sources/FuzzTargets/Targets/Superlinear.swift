extension FuzzTarget {
    /// Targets that cost more than their bounds, each in its own way, for the tests of these bounds.
    package static let superlinear: [FuzzTarget] = [
        FuzzTarget("copies-the-rest", "copies what is left at each byte") { input in
            var rest = input.rest()
            while !rest.isEmpty { rest = Array(rest.dropFirst()) }
        },
        FuzzTarget("holds-what-is-said", "allocates what three bytes say") { input in
            let count = (Int(input.byte()) << 16 | Int(input.byte()) << 8 | Int(input.byte()))
            expect([UInt8](repeating: 1, count: count).count == count, "another length")
        },
        FuzzTarget("compares-each-with-each", "compares each byte with each other") { input in
            let bytes = input.rest()
            var pairs = 0
            for one in bytes { for other in bytes where one == other { pairs += 1 } }
            expect(pairs >= bytes.count, "a byte is not itself")
        },
    ]
}
