import Metrics
import NIOConcurrencyHelpers
import Synchronization

/// Counters, gauges and histograms as Prometheus reads them: its text format, version 0.0.4.
final class PrometheusMetrics: MetricsFactory, Sendable {
    /// The `Content-Type` of ``text()``.
    static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    private struct Family {
        let type: String
        var cells: [(labels: [(String, String)], cell: any Cell)] = []
    }

    private let families = NIOLockedValueBox<[String: Family]>([:])
    private let help: [String: String]

    /// Nothing is counted yet.
    ///
    /// - Parameter help: one line for each name.
    init(help: [String: String]) { self.help = help }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        cell(label, "counter", dimensions, Number())
    }

    func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        cell(label, "gauge", dimensions, Number())
    }

    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        cell(label, "gauge", dimensions, Number())
    }

    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        cell(label, "histogram", dimensions, Histogram())
    }

    /// Adds a metric that is read whenever the metrics are.
    ///
    /// - Parameters:
    ///   - type: its kind, by the name that Prometheus has for it.
    ///   - read: gives the value; nil while it is not known.
    func add(
        _ name: String, _ type: String, _ labels: [(String, String)] = [], read: @escaping @Sendable () -> Double?
    ) {
        _ = cell(name, type, labels, Reading(read))
    }

    // A value that was counted once is reported until the end.
    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyMeter(_ handler: any MeterHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}

    private func cell<Made: Cell>(_ name: String, _ type: String, _ labels: [(String, String)], _ new: Made) -> Made {
        families.withLockedValue { families in
            var family = families[name] ?? Family(type: type)
            let known = family.cells.first { $0.labels.elementsEqual(labels, by: ==) }?.cell
            if let known { return known as? Made ?? new }
            family.cells.append((labels, new))
            families[name] = family
            return new
        }
    }

    /// All values there are now.
    func text() -> String {
        let families = families.withLockedValue { $0 }
        var lines: [String] = []
        for (name, family) in families.sorted(by: { $0.key < $1.key }) {
            if let help = help[name] { lines.append("# HELP \(name) \(help)") }
            lines.append("# TYPE \(name) \(family.type)")
            for (labels, cell) in family.cells { lines += cell.samples(name, labels) }
        }
        return lines.joined(separator: "\n") + "\n"
    }
}

/// Metric under one name and one set of labels.
private protocol Cell: AnyObject, Sendable {
    func samples(_ name: String, _ labels: [(String, String)]) -> [String]
}

private func sample(_ name: String, _ labels: [(String, String)], _ value: some CustomStringConvertible) -> String {
    let text = labels.map { "\($0)=\"\($1)\"" }.joined(separator: ",")
    return "\(name)\(text.isEmpty ? "" : "{\(text)}") \(value)"
}

/// A counter or a gauge of whole numbers.
private final class Number: Cell, CounterHandler, MeterHandler, RecorderHandler {
    private let value = Atomic<Int64>(0)

    var current: Int64 { value.load(ordering: .relaxed) }

    func increment(by amount: Int64) { value.wrappingAdd(amount, ordering: .relaxed) }
    func reset() { set(0 as Int64) }
    func set(_ value: Int64) { self.value.store(value, ordering: .relaxed) }
    func set(_ value: Double) { set(Int64(value)) }
    func increment(by amount: Double) { increment(by: Int64(amount)) }
    func decrement(by amount: Double) { increment(by: -Int64(amount)) }
    func record(_ value: Int64) { set(value) }
    func record(_ value: Double) { set(value) }

    func samples(_ name: String, _ labels: [(String, String)]) -> [String] { [sample(name, labels, current)] }
}

/// A value that is read when it is asked for.
private final class Reading: Cell {
    private let read: @Sendable () -> Double?

    init(_ read: @escaping @Sendable () -> Double?) { self.read = read }

    func samples(_ name: String, _ labels: [(String, String)]) -> [String] {
        read().map { [sample(name, labels, $0)] } ?? []
    }
}

/// Durations in buckets of seconds, from 25 microseconds, about the time of a message, to 10 seconds.
private final class Histogram: Cell, TimerHandler {
    private static let bounds: [Int64] = [
        25_000, 100_000, 250_000, 1_000_000, 2_500_000, 10_000_000, 25_000_000, 100_000_000, 250_000_000,
        1_000_000_000, 2_500_000_000, 10_000_000_000,
    ]
    private static let nanosecondsPerSecond = 1e9

    /// One for each bound, and one for longer durations.
    private let counts = (0...bounds.count).map { _ in Number() }
    private let sum = Number()

    func recordNanoseconds(_ duration: Int64) {
        counts[Self.bounds.firstIndex { duration <= $0 } ?? Self.bounds.count].increment(by: 1 as Int64)
        sum.increment(by: duration)
    }

    func samples(_ name: String, _ labels: [(String, String)]) -> [String] {
        var count: Int64 = 0
        var lines: [String] = []
        for (index, number) in counts.enumerated() {
            count += number.current
            let bound = index < Self.bounds.count ? "\(Double(Self.bounds[index]) / Self.nanosecondsPerSecond)" : "+Inf"
            lines.append(sample("\(name)_bucket", labels + [("le", bound)], count))
        }
        lines.append(sample("\(name)_sum", labels, Double(sum.current) / Self.nanosecondsPerSecond))
        return lines + [sample("\(name)_count", labels, count)]
    }
}
