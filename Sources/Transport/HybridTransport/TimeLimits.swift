package import LinuxSupport

/// The time limits of a ceremony's parts (HT-MSG-39, HT-MSG-40). A part that takes longer fails with the name of the
/// stage that was not reached.
///
/// They run on the machine's clock, unless another is handed in.
public struct TimeLimits: Sendable, Equatable {
    /// Client: from the QR code on the screen to the advert: the time that a user needs.
    public var discovery: Duration
    /// Authenticator: from the advert to the client's first message. The client is there already and scans, so no user
    /// is waited for; as long as it lasts, this machine can be told by its Bluetooth address.
    public var advertising: Duration
    /// Opening or joining the tunnel.
    public var tunnel: Duration
    /// Client: connecting to the authenticator over Bluetooth, after which the tunnel is tried.
    public var nearby: Duration
    /// Authenticator: from a connection over Bluetooth to its handshake message. Anybody near can connect.
    public var candidate: Duration
    /// From our handshake message to the other side's, and from there to the first message (HT-HS-25).
    public var handshake: Duration
    /// From a command to its answer: again the time that a user needs.
    public var command: Duration
    /// Authenticator: from readiness, or from an answer, to the next command.
    public var idle: Duration
    /// Authenticator: from the answer that completes the session to the client's own end of it. The client may wait
    /// for an update meanwhile, and no further request is served.
    public var departure: Duration
    /// Client that can be linked: from the end of the session to the authenticator's update, if none has come before.
    /// Its user may have to decide.
    public var lateUpdate: Duration
    /// Client: for the shutdown message at the end to be taken by the channel.
    public var closing: Duration
    /// Ends a part that takes too long.
    package internal(set) var timer = DeadlineTimer.continuous

    /// The clock on which they run.
    public var clock: any Clock<Duration> {
        get { timer.clock }
        set { timer = .on(newValue) }
    }

    /// Limits for people: two minutes wherever a user is waited for, half a minute for machines.
    public static let standard = TimeLimits(
        discovery: .seconds(120), tunnel: .seconds(30), handshake: .seconds(30), command: .seconds(120),
        idle: .seconds(60))

    /// Makes limits, all longer than zero.
    public init(
        discovery: Duration,
        tunnel: Duration,
        handshake: Duration,
        command: Duration,
        idle: Duration,
        closing: Duration = .seconds(2),
        nearby: Duration = .seconds(15),
        lateUpdate: Duration = .seconds(120),
        candidate: Duration = .seconds(2),
        departure: Duration = .seconds(180),
        advertising: Duration = .seconds(60)
    ) {
        self.discovery = discovery
        self.advertising = advertising
        self.tunnel = tunnel
        self.handshake = handshake
        self.command = command
        self.idle = idle
        self.closing = closing
        self.nearby = nearby
        self.lateUpdate = lateUpdate
        self.candidate = candidate
        self.departure = departure
    }
}
