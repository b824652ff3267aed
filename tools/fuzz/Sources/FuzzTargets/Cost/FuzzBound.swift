/// The most that an execution may cost: for any input, and more for each byte of it.
package struct FuzzBound: Sendable {
    private let fixed: [FuzzCost.Kind: Int]
    private let perByte: [FuzzCost.Kind: Int]

    /// - Parameters:
    ///   - allocated: the KiB that are allocated for any input, and the bytes for each byte of it.
    ///   - held: the KiB that are held at one time, and the bytes for each byte.
    ///   - time: the milliseconds of a processor, and the microseconds for each byte, where the code is optimised.
    init(allocated: (Int, Int), held: (Int, Int), time: (Int, Int)) {
        fixed = [.allocated: allocated.0 << 10, .held: held.0 << 10, .time: time.0 * 1_000_000 * Self.slowness]
        perByte = [.allocated: allocated.1, .held: held.1, .time: time.1 * 1_000 * Self.slowness]
    }

    /// Time of code that is not optimised, to that of code that is.
    private static var slowness: Int {
        #if DEBUG
            10
        #else
            1
        #endif
    }

    /// The most of a kind for an input of so many bytes.
    package func most(_ kind: FuzzCost.Kind, for byteCount: Int) -> Int {
        (fixed[kind] ?? 0) + (perByte[kind] ?? 0) * byteCount
    }
}
