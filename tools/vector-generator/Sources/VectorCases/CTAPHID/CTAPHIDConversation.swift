internal import CTAP
internal import Conformance
internal import Encodings

/// Conversation with a device, step by step, as a case has it.
struct CTAPHIDConversation {
    /// The first channel that a device allocates.
    static let first = CTAPHIDChannel(rawValue: 1)
    /// The second.
    static let second = CTAPHIDChannel(rawValue: 2)
    /// One that it has not allocated.
    static let unknown = CTAPHIDChannel(rawValue: 3)

    private(set) var steps: [JSONValue] = []
    private var time = 0
    private let nonce: [UInt8]

    /// Begins with so many channels being allocated.
    init(_ seed: VectorSeed, channels: Int = 1) throws {
        nonce = seed.bytes("ctaphid/conversation", CTAPHIDInitialization.nonceByteCount)
        for _ in 0..<channels { try initialize(.broadcast) }
    }

    /// Lets time pass before the next step.
    mutating func wait(_ milliseconds: Int) { time += milliseconds }

    /// Time alone.
    mutating func tick() { step([:]) }

    mutating func report(_ bytes: [UInt8]) { step(["report": .hex(bytes)]) }

    mutating func initialize(_ channel: CTAPHIDChannel) throws { try send(.initialize, nonce, on: channel) }

    /// The reports of a message, or only some of them.
    mutating func send(
        _ command: CTAPHIDCommand, _ payload: [UInt8] = [], on channel: CTAPHIDChannel, only numbers: Range<Int>? = nil
    ) throws {
        let reports = try CTAPHIDMessage(channel: channel, command: command, payload: payload).reports
        for report in reports[numbers ?? 0..<reports.count] { self.report(report) }
    }

    mutating func respond(to request: Int, _ response: [UInt8]) {
        step(["request": .integer(request), "response": .hex(response)])
    }

    mutating func setStatus(of request: Int, _ status: CTAPHIDKeepAliveStatus) {
        step(["request": .integer(request), "status": .integer(status.rawValue)])
    }

    mutating func close() { step(["closed": true]) }

    private mutating func step(_ what: CaseFields) {
        let fields: CaseFields = ["time": .integer(time)]
        steps.append(.object(fields.with(what).members))
    }
}

extension CTAPHIDCases {
    /// Adds a conversation.
    ///
    /// - Parameters:
    ///   - last: the actions that the device must take in the last step, by their names, where an error is its code.
    ///   - maxWaitingCount: how many requests may wait; the field is left out for 0.
    ///   - build: makes the steps behind those in which the channels are allocated.
    mutating func device(
        _ slug: String, _ comment: String, rule: String, last: [LastAction], channels: Int = 1, canWink: Bool = true,
        maxWaitingCount: Int = 0, flags: [CaseFlag] = [],
        _ build: (inout CTAPHIDConversation) throws -> Void
    ) throws {
        var conversation = try CTAPHIDConversation(seed, channels: channels)
        try build(&conversation)
        var input: CaseFields = [
            "can_wink": .bool(canWink), "device_version": .hex([5, 4, 3]), "steps": .array(conversation.steps),
        ]
        if maxWaitingCount > 0 { input["max_waiting"] = .integer(maxWaitingCount) }
        let found = try layer.valid(
            "device-\(slug)", comment, rule: rule, operation: "ctaphid.device", input: input, flags: flags)
        let actions = found["results"]?.arrayValue?.last?["actions"]?.arrayValue ?? []
        let names = actions.map { LastAction($0) }
        guard names == last.map({ $0 }) else {
            throw VectorError(.unexpectedOutcome, reason: "\(slug): ends with \(names), not with \(last)")
        }
    }

    /// Action that a case demands of a device at its end.
    enum LastAction: Equatable {
        /// A first report of a message, by its command; an error or a keep-alive with its code.
        case message(CTAPHIDCommand, UInt8? = nil)
        /// A further report of a message.
        case continuation
        case request, cancel, abandon, wink

        static func error(_ code: CTAPHIDErrorCode) -> Self { .message(.error, code.rawValue) }

        init(_ action: JSONValue) {
            if action["request"] != nil {
                self = .request
            } else if action["cancel"] != nil {
                self = .cancel
            } else if action["abandon"] != nil {
                self = .abandon
            } else if action["wink"] != nil {
                self = .wink
            } else {
                self = Self.report(Array((action["report"]?.stringValue ?? "").utf8))
            }
        }

        private static func report(_ digits: [UInt8]) -> Self {
            func byte(_ index: Int) -> UInt8 {
                UInt8(String(decoding: digits[(2 * index)...].prefix(2), as: UTF8.self), radix: 16) ?? 0
            }
            guard byte(4) & 0x80 != 0 else { return .continuation }
            let command = CTAPHIDCommand(rawValue: byte(4))
            return .message(command, [.error, .keepAlive].contains(command) ? byte(7) : nil)
        }
    }
}
