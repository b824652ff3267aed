internal import HybridTransport
internal import Measuring

/// Whole sign-ins on loopback, from the QR code to the verified assertion, over TLS and over a plain tunnel in turns.
///
/// The radio is the simulated one, whose first advert goes out at once: nothing here waits for the advertising interval.
func ceremonyBenchmark() async throws {
    Report.title("A whole sign-in on loopback: \(ceremonies) over TLS, \(ceremonies) over plain tunnels, in turns")
    let tls = try await CeremonyStage(isEncrypted: true)
    let plain = try await CeremonyStage(isEncrypted: false)
    let (tlsFloor, plainFloor) = (try await tls.bareExchange(), try await plain.bareExchange())
    var (tlsTimelines, plainTimelines): ([Timeline], [Timeline]) = ([], [])
    var (tlsFloors, plainFloors): ([Double], [Double]) = ([], [])
    for number in 0..<warmUp + ceremonies {
        let (first, firstFloor) = (try await tls.signIn(), try await tlsFloor.run())
        let (second, secondFloor) = (try await plain.signIn(), try await plainFloor.run())
        guard number >= warmUp else { continue }
        tlsTimelines.append(first)
        tlsFloors.append(firstFloor)
        plainTimelines.append(second)
        plainFloors.append(secondFloor)
    }
    await tls.shutdown()
    await plain.shutdown()

    print("\(column("stage", nameWidth))\(column("TLS p50", width))\(column("p99", width))plain p50    p99")
    for interval in Timeline.Interval.allCases {
        let (tls, plain) = (tlsTimelines.map { $0[interval] }, plainTimelines.map { $0[interval] })
        print(column(interval.rawValue, nameWidth) + percentiles(tls) + percentiles(plain))
    }
    let (tlsTotal, plainTotal) = (tlsTimelines.map(\.total), plainTimelines.map(\.total))
    print(column("in all", nameWidth) + percentiles(tlsTotal) + percentiles(plainTotal))

    let sizes = plainFloor.messages.map { "\($0.sender == .client ? "→" : "←") \($0.byteCount)" }
    print("its messages, bytes: \(sizes.joined(separator: ", "))")
    for (name, totals, floors) in [("TLS", tlsTotal, tlsFloors), ("plain", plainTotal, plainFloors)] {
        let comparison = Comparison(zip(totals, floors).map { (ours: $0, floor: $1) })
        Report.line("÷ a bare exchange of its messages, \(name)", comparison, aim: 1.5)
    }
    let drawing = try KeyDrawing.nanoseconds()
    let ownShare = median(plainTotal) - Double(KeyDrawing.keysInCeremony) * drawing
    Report.line(
        "our own share, p50", ownShare / nanosecondsPerMillisecond, unit: "ms", atMost: 3,
        note: "plain, less \(KeyDrawing.keysInCeremony) keys drawn at \(Report.duration(drawing))")
    Report.line("TLS ÷ plain, p50", median(zip(tlsTotal, plainTotal).map { $0 / $1 }), unit: "")
}

private let ceremonies = 200
private let warmUp = 20
private let nameWidth = 34
private let width = 12
private let nanosecondsPerMillisecond = 1e6

private func percentiles(_ nanoseconds: [Double]) -> String {
    [0.5, 0.99].map { column(Report.duration(percentile(nanoseconds, $0)), width) }.joined()
}

private func column(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(1, width - text.count))
}
