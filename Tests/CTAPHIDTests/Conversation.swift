import TestPeers
import Testing

@testable import CTAP

/// A device, the time there, and a host's side of the exchange.
struct Conversation {
    var device: CTAPHIDDevice
    private(set) var time = Duration.zero

    static let version = CTAPHIDDeviceVersion(major: 5, minor: 4, build: 3)
    static let nonce: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]

    init(canWink: Bool = true, maxWaitingCount: Int = 0, lastChannel: UInt32 = 0) {
        device = CTAPHIDDevice(
            version: Self.version, canWink: canWink, maxWaitingCount: maxWaitingCount,
            channels: ChannelAllocator(last: lastChannel))
    }

    /// Lets time pass.
    mutating func wait(_ milliseconds: Int) -> [CTAPHIDDevice.Action] {
        time += .milliseconds(milliseconds)
        return device.advance(to: time)
    }

    /// Sends the device a message.
    mutating func send(
        _ command: CTAPHIDCommand, _ payload: [UInt8] = [], on channel: CTAPHIDChannel
    ) -> [CTAPHIDDevice.Action] {
        CTAPHIDMessage(channel, command, payload).reports.flatMap { device.receive($0, at: time) }
    }

    mutating func receive(_ report: [UInt8]) -> [CTAPHIDDevice.Action] { device.receive(report, at: time) }

    /// Sends the device a message, and demands an answer to it.
    mutating func call(
        _ command: CTAPHIDCommand, _ payload: [UInt8] = [], on channel: CTAPHIDChannel
    ) throws -> CTAPHIDExchange.Event {
        var exchange =
            command == .initialize
            ? try CTAPHIDExchange(initializing: channel, nonce: payload)
            : try CTAPHIDExchange(channel: channel, command: command, payload: payload)
        var outcome: CTAPHIDExchange.Event?
        for action in exchange.reports.flatMap({ device.receive($0, at: time) }) {
            if case .send(let report) = action, let event = try exchange.receive(report) { outcome = event }
        }
        return try #require(outcome)
    }

    /// Has a channel allocated.
    mutating func open() throws -> CTAPHIDChannel {
        guard case .response(let payload) = try call(.initialize, Self.nonce, on: .broadcast) else {
            throw CTAPHIDError(.unexpectedMessage, reason: "no answer")
        }
        return try CTAPHIDInitialization(payload).channel
    }

    /// Begins a request, and demands that it is processed.
    mutating func request(
        _ payload: [UInt8] = [4], on channel: CTAPHIDChannel
    ) throws -> CTAPHIDDevice.Request {
        let actions = send(.cbor, payload, on: channel)
        guard actions.count == 1, case .process(let request)? = actions.first else {
            throw CTAPHIDError(.unexpectedMessage, reason: "\(actions)")
        }
        return request
    }

    /// The device's refusal as an action.
    static func refusal(_ code: CTAPHIDErrorCode, on channel: CTAPHIDChannel) -> [CTAPHIDDevice.Action] {
        [.send(CTAPHIDMessage(channel, .error, [code.rawValue]).reports[0])]
    }

    static func keepAlive(_ status: CTAPHIDKeepAliveStatus, on channel: CTAPHIDChannel) -> [CTAPHIDDevice.Action] {
        [.send(CTAPHIDMessage(channel, .keepAlive, [status.rawValue]).reports[0])]
    }

    static func sent(
        _ command: CTAPHIDCommand, _ payload: [UInt8] = [], on channel: CTAPHIDChannel
    ) -> [CTAPHIDDevice.Action] {
        CTAPHIDMessage(channel, command, payload).reports.map { .send($0) }
    }
}

/// So many bytes, none of them like its neighbour.
func pattern(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 % 251) } }
