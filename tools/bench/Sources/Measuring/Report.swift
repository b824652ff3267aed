/// Lines of figures in columns.
public enum Report {
    private static let nameWidth = 44

    /// Prints the heading of the lines that follow.
    public static func title(_ text: String) { print("\n\(text)") }

    /// Prints a ratio with its range, the aim, and the times beside it.
    ///
    /// - Parameter names: the names of the two that are compared.
    public static func line(
        _ name: String, _ comparison: Comparison, aim: Double? = nil,
        of names: (ours: String, floor: String) = ("ours", "floor")
    ) {
        let low = comparison.ratios.first ?? .nan
        let high = comparison.ratios.last ?? .nan
        let ratio = "\(fixed(comparison.ratio, 2)) (\(fixed(low, 2))–\(fixed(high, 2)))"
        let times = "\(names.ours) \(duration(comparison.ours)), \(names.floor) \(duration(comparison.floor))"
        print(columns([name, ratio, judged(comparison.ratio, atMost: aim), times]))
    }

    /// Prints a figure that should be at most, or at least, an aim.
    public static func line(
        _ name: String, _ figure: Double, unit: String, atMost: Double? = nil, atLeast: Double? = nil, note: String = ""
    ) {
        let verdict =
            atLeast.map { "\(figure >= $0 ? "reached" : "MISSED") ≥ \(short($0))" } ?? judged(figure, atMost: atMost)
        print(columns([name, "\(short(figure)) \(unit)", verdict, note]))
    }

    private static func judged(_ figure: Double, atMost aim: Double?) -> String {
        aim.map { "\(figure <= $0 ? "reached" : "MISSED") ≤ \(short($0))" } ?? ""
    }

    private static func columns(_ fields: [String]) -> String {
        let widths = [nameWidth, 24, 18]
        let padded = zip(fields, widths).map { field, width in
            field + String(repeating: " ", count: max(1, width - field.count))
        }
        return (padded + fields.dropFirst(widths.count)).joined()
    }

    /// A time in the unit that suits it.
    public static func duration(_ nanoseconds: Double) -> String {
        switch nanoseconds {
        case ..<1e3: "\(fixed(nanoseconds, 0)) ns"
        case ..<1e6: "\(fixed(nanoseconds / 1e3, 1)) µs"
        default: "\(fixed(nanoseconds / 1e6, 2)) ms"
        }
    }

    private static func short(_ value: Double) -> String {
        value >= 1000 || value == value.rounded() ? grouped(value) : fixed(value, 2)
    }

    private static func grouped(_ value: Double) -> String {
        let digits = Array(String(Int(value.rounded())))
        return digits.indices.map { index in
            let follows = digits.count - index
            return String(digits[index]) + (follows > 1 && follows % 3 == 1 ? "," : "")
        }.joined()
    }

    private static func fixed(_ value: Double, _ places: Int) -> String {
        guard value.isFinite else { return "–" }
        let scale = (0..<places).reduce(1) { scale, _ in scale * 10 }
        let scaled = Int((value * Double(scale)).rounded())
        guard places > 0 else { return String(scaled) }
        let fraction = String(scaled % scale)
        return "\(scaled / scale)." + String(repeating: "0", count: places - fraction.count) + fraction
    }
}
