/// Bounds of the input that a decoder takes.
///
/// No length found in the input is ever trusted for an allocation (HT-CBOR-18); these bounds limit the work that the
/// input can cause in all. Decoding takes time linear in the input and at most about 50 bytes of memory an item besides
/// the contents of its strings.
public struct CBORLimits: Sendable, Hashable {
    /// The deepest nesting of arrays, maps and tags: 0 allows none, 1 a flat array.
    ///
    /// CTAP 2.2 section 8 limits messages to four, but `evalByCredential` of the `prf` extension already needs five
    /// (HT-CBOR-19), and a phone's unknown getInfo fields may take any shape. Never above ``deepest``.
    public let maxDepth: Int
    /// The most data items in all: each key, value, array, map, tag and chunk counts as one.
    public let maxItems: Int
    /// The most bytes of input.
    public let maxBytes: Int

    /// The deepest nesting that any limits allow, so that recursion stays far from the end of the stack.
    public static let deepest = 64

    /// Limits for every message of a hybrid session: 16 levels, 65,536 items, 1 MiB (the tunnel's message limit;
    /// HT-CBOR-20).
    public static let standard = CBORLimits(maxDepth: 16, maxItems: 1 << 16, maxBytes: 1 << 20)

    /// Makes limits. Negative values count as zero, and a depth above ``deepest`` as ``deepest``.
    public init(maxDepth: Int, maxItems: Int, maxBytes: Int) {
        self.maxDepth = min(max(maxDepth, 0), Self.deepest)
        self.maxItems = max(maxItems, 0)
        self.maxBytes = max(maxBytes, 0)
    }
}
