internal import Conformance

extension CraftedPoint {
    /// The point with the other Y.
    static func negated(_ point: [UInt8]) -> [UInt8] {
        point[..<y.lowerBound] + (Magnitude(prime) - Magnitude(point[y])).bigEndianBytes(prime.count)
    }
}
