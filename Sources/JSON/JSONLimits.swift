/// How much JSON is read before it is refused.
public struct JSONLimits: Sendable, Hashable {
    /// How many bytes there may be.
    public var byteCount: Int
    /// How many arrays and objects may be inside each other. The parser's stack grows with it.
    public var depth: Int

    /// 1 MiB and 64 levels: more than messages and files of ours have, and than any stack minds.
    public static let standard = JSONLimits(byteCount: 1 << 20, depth: 64)

    /// Makes limits.
    public init(byteCount: Int, depth: Int) {
        self.byteCount = byteCount
        self.depth = depth
    }
}
