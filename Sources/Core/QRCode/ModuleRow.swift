/// A row or a column of modules: a bit a module, 1 for dark, module 0 in the lowest bit.
///
/// Beyond either end every module is light, as the quiet zone is. So one operation on words looks at all modules of
/// a row at once, and symbols of up to 64 modules a side take one word a row.
///
/// The two kinds of rows take 0.2 to 0.36 of libqrencode's time for a symbol. One kind for all sizes takes 1.2, and of
/// rows with a byte a module the masks alone take 0.65.
protocol ModuleRow: Sendable, Equatable {
    /// A row of which the first 64 modules are given and the others light.
    init(_ modules: UInt64)
    /// Modules of a row.
    static var capacity: Int { get }

    static func & (left: Self, right: Self) -> Self
    static func | (left: Self, right: Self) -> Self
    static func ^ (left: Self, right: Self) -> Self
    static prefix func ~ (row: Self) -> Self

    /// The row in which each module is the one `distance` further on in this row: 0 and up.
    func ahead(_ distance: Int) -> Self
    /// The row in which each module is the one `distance` before it in this row: 0 and up.
    func behind(_ distance: Int) -> Self

    /// Dark modules.
    var nonzeroBitCount: Int { get }
    /// The modules from 64 × `index` on.
    func word(_ index: Int) -> UInt64

    /// The eight mask patterns, as rows and as columns: see ``MaskLines``.
    static var maskLines: MaskLines<Self> { get }
}

extension ModuleRow {
    static var light: Self { Self(0) }

    /// The first `count` modules dark.
    static func dark(_ count: Int) -> Self { ~(~light).behind(count) }

    /// A row whose dark modules are those for which a function says so.
    init(darkWhere isDark: (Int) -> Bool) {
        self = (0..<Self.capacity).reduce(.light) { $0 | Self(isDark($1) ? 1 : 0).behind($1) }
    }

    /// True if all modules are light.
    var isLight: Bool { self == .light }

    /// True if one module is dark.
    subscript(_ index: Int) -> Bool { !(self & Self(1).behind(index)).isLight }
}

extension UInt64: ModuleRow {
    static var capacity: Int { bitWidth }

    func ahead(_ distance: Int) -> UInt64 { distance < bitWidth ? self &>> UInt64(truncatingIfNeeded: distance) : 0 }
    func behind(_ distance: Int) -> UInt64 { distance < bitWidth ? self &<< UInt64(truncatingIfNeeded: distance) : 0 }

    func word(_ index: Int) -> UInt64 { index == 0 ? self : 0 }

    static let maskLines = MaskLines<UInt64>()
}

/// A row of up to 192 modules, for versions from 12 on.
struct WideRow: ModuleRow {
    private var low: UInt64
    private var high: UInt128

    static let capacity = UInt64.bitWidth + UInt128.bitWidth
    static let maskLines = MaskLines<WideRow>()

    private init(low: UInt64, high: UInt128) {
        self.low = low
        self.high = high
    }

    init(_ modules: UInt64) { self.init(low: modules, high: 0) }

    static func & (left: Self, right: Self) -> Self { Self(low: left.low & right.low, high: left.high & right.high) }
    static func | (left: Self, right: Self) -> Self { Self(low: left.low | right.low, high: left.high | right.high) }
    static func ^ (left: Self, right: Self) -> Self { Self(low: left.low ^ right.low, high: left.high ^ right.high) }
    static prefix func ~ (row: Self) -> Self { Self(low: ~row.low, high: ~row.high) }

    // A shift by a negative distance is one the other way, and one by the width or more leaves zero.
    func ahead(_ distance: Int) -> Self {
        let crossing = UInt64(truncatingIfNeeded: high << (UInt64.bitWidth - distance))
        return Self(low: low >> distance | crossing, high: high >> distance)
    }

    func behind(_ distance: Int) -> Self {
        let crossing = UInt128(low) << (distance - UInt64.bitWidth)
        return Self(low: low << distance, high: high << distance | crossing)
    }

    var nonzeroBitCount: Int { low.nonzeroBitCount + high.nonzeroBitCount }

    func word(_ index: Int) -> UInt64 {
        switch index {
        case 0: low
        case 1: UInt64(truncatingIfNeeded: high)
        case 2: UInt64(truncatingIfNeeded: high >> UInt64.bitWidth)
        default: 0
        }
    }
}
