internal import HybridTransport
internal import Measuring

/// Whole sign-ins on loopback, from the QR code to the verified assertion, over TLS and over a plain tunnel in turns.
///
/// The radio is the simulated one, whose first advert goes out at once: nothing here waits for the advertising
/// interval.
func ceremonyBenchmark() async throws {
    Report.title("A whole sign-in on loopback: \(ceremonies) over TLS, \(ceremonies) over plain tunnels, in turns")
    var series = [
        try await Series("TLS", CeremonyStage(isEncrypted: true)),
        try await Series("plain", CeremonyStage(isEncrypted: false)),
    ]
    for number in 0..<warmUp + ceremonies {
        for place in series.indices { try await series[place].measure(counts: number >= warmUp) }
    }
    for each in series { try await each.stage.shutdown() }

    print(column("stage", nameWidth) + series.map { column("\($0.name) p50", width) + column("p99", width) }.joined())
    for interval in Timeline.Interval.allCases {
        let parts = series.map { percentiles($0.timelines.map { $0[interval] }) }
        print(column(interval.rawValue, nameWidth) + parts.joined())
    }
    print(column("in all", nameWidth) + series.map { percentiles($0.totals) }.joined())

    let sizes = series[0].exchange.messages.map { "\($0.sender == .client ? "→" : "←") \($0.byteCount)" }
    print("its messages, bytes: \(sizes.joined(separator: ", "))")
    for each in series {
        Report.line("÷ a bare exchange of its messages, \(each.name)", each.comparison(\.exchanges), aim: 1.5)
    }
    for each in series {
        Report.line("÷ that and its libcrypto calls, \(each.name)", each.comparison(\.computingExchanges), aim: 1.5)
    }
    let (tls, plain) = (series[0].totals, series[1].totals)
    let drawing = try KeyDrawing.nanoseconds()
    let ownShare = median(plain) - Double(KeyDrawing.keysInCeremony) * drawing
    Report.line(
        "our own share, p50", ownShare / nanosecondsPerMillisecond, unit: "ms", atMost: 3,
        note: "plain, less \(KeyDrawing.keysInCeremony) keys drawn at \(Report.duration(drawing))")
    Report.line("TLS ÷ plain, p50", median(zip(tls, plain).map { $0 / $1 }), unit: "")
}

private let ceremonies = 200
private let warmUp = 20
private let nameWidth = 34
private let width = 12
private let nanosecondsPerMillisecond = 1e6

/// Sign-ins of one kind, and the floors that they are judged by, in turns.
private struct Series {
    let name: String
    let stage: CeremonyStage
    /// The messages alone.
    let exchange: BareExchange
    /// The messages, and the libcrypto calls between them.
    private let computingExchange: BareExchange
    private(set) var timelines: [Timeline] = []
    private(set) var exchanges: [Double] = []
    private(set) var computingExchanges: [Double] = []

    init(_ name: String, _ stage: CeremonyStage) async throws {
        self.name = name
        self.stage = stage
        let exchange = try await stage.bareExchange()
        self.exchange = exchange
        var computing = exchange
        computing.calls = try SignInCalls()
        computingExchange = computing
    }

    /// Holds one of each.
    mutating func measure(counts: Bool) async throws {
        let timeline = try await stage.signIn()
        let (bare, computing) = (try await exchange.run(), try await computingExchange.run())
        guard counts else { return }
        timelines.append(timeline)
        exchanges.append(bare)
        computingExchanges.append(computing)
    }

    /// Nanoseconds of each sign-in.
    var totals: [Double] { timelines.map(\.total) }

    func comparison(_ floors: KeyPath<Series, [Double]>) -> Comparison {
        Comparison(zip(totals, self[keyPath: floors]).map { (ours: $0, floor: $1) })
    }
}

private func percentiles(_ nanoseconds: [Double]) -> String {
    [0.5, 0.99].map { column(Report.duration(percentile(nanoseconds, $0)), width) }.joined()
}

private func column(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(1, width - text.count))
}
