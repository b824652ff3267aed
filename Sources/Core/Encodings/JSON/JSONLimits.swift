/// The limits beyond which JSON is refused.
public struct JSONLimits: Sendable, Hashable {
    /// The most bytes.
    public var byteCount: Int
    /// The deepest nesting of arrays and objects. The parser's stack grows with it.
    public var depth: Int
    /// True if the last of several members of one name counts, as in browsers; false if they are refused.
    public var takesLastDuplicate = false
    /// The most values that are kept at the same time. An element that is handed over is not kept.
    public var valueCount: Int

    /// 1 MiB and 64 levels: more than this project's messages and files have, and little enough for any stack.
    public static let standard = JSONLimits(byteCount: 1 << 20, depth: 64)

    /// Makes limits.
    public init(byteCount: Int, depth: Int, valueCount: Int = .max) {
        self.byteCount = byteCount
        self.depth = depth
        self.valueCount = valueCount
    }
}
