import CommandLine
import HybridTransport
import LinuxSupport

/// Observations of a phone in a ceremony, beside the persona that is nearest: for a terminal, and for a report.
struct DeviceFinding: Sendable {
    private let device: ObservedDevice
    private let persona: Persona
    private let differences: [ObservedDevice.Difference]
    /// The parts of the ceremony that took time, with it.
    private let times: [(part: Sentence, time: Duration)]

    private static let barWidth = 40
    private static let nameWidth = 16

    /// - Returns: nil of a ceremony in which no phone said what it is.
    init?(_ notes: DeviceNotes, _ stages: [(stage: Stage, at: Duration)]) {
        guard let device = notes.device(), let nearest = device.nearest() else { return nil }
        self.device = device
        (persona, differences) = nearest
        let times = Dictionary(stages.map { ($0.stage, $0.at) }, uniquingKeysWith: { first, _ in first })
        func part(_ name: Sentence, _ from: Stage, _ to: Stage) -> (part: Sentence, time: Duration)? {
            guard let begin = times[from], let end = times[to], end >= begin else { return nil }
            return (name, end - begin)
        }
        self.times = [
            part("its advert", .qrShown, .advertOpened), part("join", .advertOpened, .tunnelJoined),
            part("join", .advertOpened, .channelOpened),
            part("handshake", times[.tunnelJoined] == nil ? .channelOpened : .tunnelJoined, .handshaken),
            part("first message", .handshaken, .ready), part("answer", .commandSent, .commandAnswered),
        ].compactMap(\.self)
    }

    /// The finding as a member of a report.
    var fields: Fields {
        [
            "persona": persona.name,
            "differences": differences.map { ["quirk": $0.quirk, "seen": $0.isSeen] as Fields },
            "advert": device.advert.map { advert in
                [
                    "service": String(advert.service, radix: 16, uppercase: true),
                    "suffix_bytes": advert.suffixByteCount, "domain": advert.domain, "interval_ms": advert.interval,
                ] as Fields
            },
            "offered_l2cap": device.offeredNearby, "aaguid": device.aaguid,
            "versions": Self.words(device.versions), "extensions": Self.words(device.extensions),
            "options": Self.words(device.options), "features": Self.words(device.features),
            "times": times.map { ["part": $0.part, "milliseconds": $0.time.milliseconds] as Fields },
        ]
    }

    private static func words(_ words: ObservedDevice.Words) -> Fields {
        ["known": words.known, "others": words.otherCount]
    }

    /// The finding in words, and the times as bars.
    var lines: [Sentence] {
        var lines: [Sentence] = [
            "the nearest persona is \(persona.name), \(persona.like), as far as such phones are known"
        ]
        let quirks = PersonaCatalogue.quirks(.authenticator)
        for difference in differences {
            let does = quirks.first { $0.id == difference.quirk }?.does ?? ""
            lines.append(
                difference.isSeen ? "it has \(difference.quirk): \(does)" : "it lacks \(difference.quirk): \(does)")
        }
        if differences.isEmpty { lines.append("the phone showed no difference from it") }
        if let interval = device.advert?.interval { lines.append("an advert every \(Int(interval)) ms") }
        let longest = times.map(\.time.milliseconds).max() ?? 0
        for (part, time) in times {
            let width = longest > 0 ? Int(time.milliseconds / longest * Double(Self.barWidth)) : 0
            let name = part.localized.padded(to: Self.nameWidth)
            lines.append("\(name)\(String(repeating: "#", count: max(1, width))) \(Int(time.milliseconds)) ms")
        }
        return lines
    }
}
