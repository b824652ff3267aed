internal import CTAP
internal import Encodings

// Security keys on the USB bus (the article USBHID of HybridProtocol).

extension VectorOperation {
    private static let layer = "ctaphid"

    static let ctaphid = [
        VectorOperation("ctaphid.fragment", layer) { input in
            let message = try CTAPHIDMessage(
                channel: input.channel(), command: input.command(), payload: input.bytes("payload"))
            return ["reports": .hexes(message.reports)]
        },
        VectorOperation("ctaphid.exchange", layer) { input in
            var exchange = try input.exchange()
            var keepAlives: [JSONValue] = []
            var outcome: CTAPHIDExchange.Event?
            for report in try input.byteStrings("reports") {
                switch try exchange.receive(report) {
                case .keepAlive(let status)?: keepAlives.append(.integer(Int(status.rawValue)))
                case let event?: outcome = event
                case nil: break
                }
            }
            var fields: CaseFields = ["keep_alives": .array(keepAlives), "response": .null, "error": .null]
            switch outcome {
            case .response(let payload)?: fields["response"] = .hex(payload)
            case .refused(let code)?: fields["error"] = .integer(Int(code.rawValue))
            case .keepAlive?, nil: break
            }
            return fields
        },
        VectorOperation("ctaphid.initialization", layer) { input in
            let answer = try CTAPHIDInitialization(input.bytes("payload"))
            return [
                "nonce": .hex(answer.nonce), "channel": .integer(Int(answer.channel.rawValue)),
                "protocol_version": .integer(Int(answer.protocolVersion)),
                "device_version": .hex([answer.version.major, answer.version.minor, answer.version.build]),
                "capabilities": .integer(Int(answer.capabilities.rawValue)),
            ]
        },
        VectorOperation("ctaphid.descriptor", layer) { input in
            let reports = HIDReportDescriptor.securityKeyReports(in: try input.bytes("descriptor"))
            return [
                "is_security_key": .bool(reports != nil),
                "input_bytes": reports.map { .integer($0.input) } ?? .null,
                "output_bytes": reports.map { .integer($0.output) } ?? .null,
            ]
        },
        VectorOperation("ctaphid.device", layer) { input in
            let version = try input.bytes("device_version")
            guard version.count == 3 else { throw input.mistyped("device_version", "3 bytes") }
            var device = CTAPHIDDevice(
                version: CTAPHIDDeviceVersion(major: version[0], minor: version[1], build: version[2]),
                canWink: try input.boolean("can_wink"), maxWaitingCount: try input.maxWaitingCount())
            var results: [JSONValue] = []
            for step in try input.objects("steps") {
                let actions = try device.take(step)
                let deadline = device.deadline.map { JSONValue.integer($0.milliseconds) } ?? .null
                results.append(["actions": .array(actions.map(\.json)), "deadline": deadline])
            }
            return ["results": .array(results)]
        },
    ]
}

extension CaseFields {
    fileprivate func channel() throws(VectorError) -> CTAPHIDChannel {
        CTAPHIDChannel(rawValue: try integer("channel"))
    }

    fileprivate func command() throws(VectorError) -> CTAPHIDCommand {
        CTAPHIDCommand(rawValue: try integer("command"))
    }

    /// A bool that is there.
    fileprivate func boolean(_ name: String) throws(VectorError) -> Bool {
        guard let boolean = try booleanIfAny(name) else { throw mistyped(name, "true or false") }
        return boolean
    }

    /// The requests that may wait: none unless the case says so.
    fileprivate func maxWaitingCount() throws(VectorError) -> Int {
        guard self["max_waiting"] != nil else { return 0 }
        let count: UInt8 = try integer("max_waiting")
        return Int(count)
    }

    fileprivate func exchange() throws -> CTAPHIDExchange {
        let (channel, command, payload) = (try channel(), try command(), try bytes("payload"))
        return command == .initialize
            ? try CTAPHIDExchange(initializing: channel, nonce: payload)
            : try CTAPHIDExchange(channel: channel, command: command, payload: payload)
    }
}

extension CTAPHIDDevice {
    /// Takes a step of a conversation: a time in milliseconds, and the event at that time, if there is one.
    fileprivate mutating func take(_ step: CaseFields) throws(VectorError) -> [Action] {
        let milliseconds: UInt32 = try step.integer("time")
        let time = Duration.milliseconds(Int(milliseconds))
        if step["report"] != nil { return receive(try step.bytes("report"), at: time) }
        if step["response"] != nil {
            return answer(try step.integer("request"), with: try step.bytes("response"), at: time)
        }
        if step["status"] != nil {
            let status = CTAPHIDKeepAliveStatus(rawValue: try step.integer("status"))
            return setStatus(status, of: try step.integer("request"), at: time)
        }
        let actions = advance(to: time)
        return step["closed"] == .bool(true) ? actions + close() : actions
    }
}

extension CTAPHIDDevice.Action {
    /// An action, by the members that distinguish it.
    fileprivate var json: JSONValue {
        switch self {
        case .send(let report): ["report": .hex(report)]
        case .process(let request):
            [
                "request": .integer(Int(request.id)), "channel": .integer(Int(request.channel.rawValue)),
                "payload": .hex(request.payload),
            ]
        case .cancel(let id): ["cancel": .integer(Int(id))]
        case .abandon(let id): ["abandon": .integer(Int(id))]
        case .wink: ["wink": true]
        }
    }
}

extension Duration {
    private static let attosecondsInMillisecond: Int64 = 1_000_000_000_000_000

    fileprivate var milliseconds: Int {
        Int(components.seconds) * 1_000 + Int(components.attoseconds / Self.attosecondsInMillisecond)
    }
}
