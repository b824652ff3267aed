internal import HybridProtocol
internal import HybridTransport
internal import Synchronization

/// One client and those who answer it, everything between them drawn from the input, and the conditions of their ends.
struct CeremonyPlay: Sendable {
    /// Kind of play.
    enum Kind: CaseIterable {
        case code
        case codeNearby
        case codeForDigitalCredentials
        case codeAndNewLink
        case link
        case linkBesideCode
    }

    /// Behaviour of a link's authenticator when it is woken.
    enum Awakening: CaseIterable {
        case serves
        case servesLate
        case declines
        case sleepsOn
        /// The service does not know it any more.
        case isGone
    }

    let kind: Kind
    let log: LinkLog
    let acquaintance: Acquaintance?
    let awakening: Awakening
    let answerDelay: Duration
    /// When the new link is offered, and how long the person takes to decide.
    let newLink: (moment: AuthenticatorLinking.Moment, delay: Duration, offer: AuthenticatorLinking.Offer?)
    let cancellation: [DamageReport.Sender: Duration]
    let scanner: FaultyScanner
    let tunnels: TestTunnels
    let openers: [DamageReport.Sender: FaultyOpener]
    let advertisers: [DamageReport.Sender: FaultyAdvertiser]
    let nearby: [DamageReport.Sender: FaultyNearby]
    let resources = ResourceCounter()
    /// Of the messages through tunnels.
    let tunnelDamage = DamageReport()
    /// Of the messages over Bluetooth.
    let nearbyDamage = DamageReport()
    let journal = Journal()
    /// True if nothing at all is wrong: then everything must succeed.
    let isFaultless: Bool
    /// True if steps take no time, so that time goes by in waiting alone.
    let isTimeless: Bool
    private let radio: TestRadio

    /// The kinds with a QR code, the others by the link alone.
    var hasCode: Bool { kind != .link }
    var hasLink: Bool { kind == .link || kind == .linkBesideCode }

    static let limits = TimeLimits(
        discovery: .milliseconds(60), tunnel: .milliseconds(40), handshake: .milliseconds(40),
        command: .milliseconds(40), idle: .milliseconds(40), closing: .milliseconds(20), nearby: .milliseconds(40),
        lateUpdate: .milliseconds(40), candidate: .milliseconds(40), departure: .milliseconds(40),
        advertising: .milliseconds(60))
    /// More than all limits together, and more than twice the longest delay of an authenticator's person.
    static let longestNanoseconds = VirtualClock.nanosecondsPerSecond

    /// Draws a play.
    ///
    /// - Parameter isTimeless: whether steps take no time.
    init(_ input: inout FuzzInput, _ acquaintance: Acquaintance, isTimeless: Bool) throws {
        let log = LinkLog()
        let kind = input.one(of: Kind.allCases)
        let isOffering = kind == .codeAndNewLink && input.number(below: 4) != 3
        try self.init(
            &input, kind, isOffering ? acquaintance.offer(log) : nil, acquaintance, log, isTimeless: isTimeless)
    }

    /// A play without faults, in which a link is made.
    static func linking(_ offer: AuthenticatorLinking.Offer, _ log: LinkLog) throws -> Self {
        var nothing = FuzzInput([])
        return try Self(&nothing, .codeAndNewLink, offer, nil, log, isTimeless: true)
    }

    private init(
        _ input: inout FuzzInput, _ kind: Kind, _ offer: AuthenticatorLinking.Offer?, _ acquaintance: Acquaintance?,
        _ log: LinkLog, isTimeless: Bool
    ) throws {
        self.isTimeless = isTimeless
        self.kind = kind
        self.log = log
        self.acquaintance = acquaintance
        awakening = input.number(below: 4) == 3 ? input.one(of: Awakening.allCases) : .serves
        answerDelay = .milliseconds(input.number(below: 8) == 1 ? input.number(below: Fault.longestDelay) : 0)
        newLink = (
            input.bool() ? .afterAnswer : .atOnce,
            .milliseconds(input.number(below: 8) == 1 ? input.number(below: Fault.longestDelay) : 0), offer
        )
        radio = TestRadio(resources, interval: Self.advertInterval)
        tunnels = TestTunnels(resources)
        scanner = FaultyScanner(radio, &input)
        let bluetooth =
            kind == .codeNearby
            ? TestNearby(resources, pieceByteCount: 1 + input.number(below: Self.longestPiece)) : nil
        let (tunnelReport, nearbyReport) = (tunnelDamage, nearbyDamage)
        var cancellation: [DamageReport.Sender: Duration] = [:]
        var openers: [DamageReport.Sender: FaultyOpener] = [:]
        var advertisers: [DamageReport.Sender: FaultyAdvertiser] = [:]
        var nearby: [DamageReport.Sender: FaultyNearby] = [:]
        for sender in [DamageReport.Sender.client, .authenticator, .linkedAuthenticator] {
            if input.number(below: 8) == 7 {
                cancellation[sender] = .milliseconds(input.number(below: Self.lastCancelled))
            }
            let faults = ChannelFaults(&input)
            openers[sender] = FaultyOpener(
                opener: tunnels, trouble: FaultyOpener.Trouble(&input), faults: faults
            ) { tunnelReport.note(sender, $0) }
            advertisers[sender] = FaultyAdvertiser(advertiser: radio, trouble: FaultyAdvertiser.Trouble(&input))
            nearby[sender] = bluetooth.map {
                FaultyNearby(nearby: $0, trouble: FaultyNearby.Trouble(&input), faults: faults) {
                    nearbyReport.note(sender, $0)
                }
            }
        }
        self.cancellation = cancellation
        self.openers = openers
        self.advertisers = advertisers
        self.nearby = nearby
        isFaultless =
            isTimeless && awakening == .serves && answerDelay == .zero && newLink.delay == .zero && cancellation.isEmpty
            && scanner.hasNoTrouble && advertisers.values.allSatisfy(\.trouble.isNone)
            && openers.values.allSatisfy { $0.trouble.isNone && $0.faults.areNone }
            && nearby.values.allSatisfy(\.trouble.isNone)
    }

    private static let advertInterval = Duration.milliseconds(10)
    private static let longestPiece = 200
    /// In milliseconds: by then most plays are over.
    private static let lastCancelled = 200

    /// Objects that must be gone when a play is over and forgotten.
    struct Remains {
        fileprivate weak var radio: TestRadio?
        fileprivate weak var tunnels: TestTunnels?

        var areGone: Bool { radio == nil && tunnels == nil }
    }

    var remains: Remains { Remains(radio: radio, tunnels: tunnels) }

    /// When a play came to its end.
    final class End: Sendable {
        private let noted = Mutex<Int?>(nil)

        /// Nanoseconds on the virtual clock; nil: not yet.
        var time: Int? { noted.withLock { $0 } }

        func note() { noted.withLock { $0 = VirtualThread.now } }
    }
}
