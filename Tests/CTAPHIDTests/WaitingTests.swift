import Testing

@testable import CTAP

@Suite("A security key that lets requests wait (HT-HID-36)") struct WaitingTests {
    private typealias Talk = Conversation

    /// A key of which the first channel has a request processed; and three channels.
    private func begun(max: Int = 4) throws -> (Conversation, CTAPHIDDevice.Request.ID, [CTAPHIDChannel]) {
        var key = Conversation(maxWaitingCount: max)
        let channels = [try key.open(), try key.open(), try key.open()]
        let id = try key.request(on: channels[0]).id
        return (key, id, channels)
    }

    @Test("processes them one after another, in the order in which they were whole")
    func order() throws {
        var (key, id, channels) = try begun()
        #expect(key.send(.cbor, pattern(100), on: channels[1]) == [])
        #expect(key.send(.cbor, [5], on: channels[2]) == [])
        #expect(key.device.heldByteCount == 101)
        let second = CTAPHIDDevice.Request(id: id + 1, channel: channels[1], payload: pattern(100))
        let third = CTAPHIDDevice.Request(id: id + 2, channel: channels[2], payload: [5])
        // Neither is the authenticator's yet.
        #expect(key.device.answer(id + 1, with: [0], at: .zero) == [])
        #expect(key.device.setStatus(.userPresenceNeeded, of: id + 1, at: .zero) == [])
        #expect(
            key.device.answer(id, with: [0], at: .zero)
                == Talk.sent(.cbor, [0], on: channels[0]) + [.process(second)])
        #expect(key.device.heldByteCount == 1)
        // One more may come to the end.
        #expect(key.send(.cbor, [6], on: channels[0]) == [])
        #expect(
            key.device.answer(id + 1, with: pattern(7_610), at: .zero)
                == Talk.refusal(.other, on: channels[1]) + [.process(third)])
        let last = CTAPHIDDevice.Request(id: id + 3, channel: channels[0], payload: [6])
        #expect(
            key.device.answer(id + 2, with: [0], at: .zero)
                == Talk.sent(.cbor, [0], on: channels[2]) + [.process(last)])
        #expect(key.device.answer(id + 3, with: [0], at: .zero) == Talk.sent(.cbor, [0], on: channels[0]))
        #expect(key.device.deadline == nil)
        #expect(key.device.heldByteCount == 0)
    }

    @Test("tells each that it waits, every 100 ms, and goes on with that when it is processed")
    func keepAlives() throws {
        var (key, id, channels) = try begun()
        #expect(key.wait(60) == [])
        #expect(key.send(.cbor, [5], on: channels[1]) == [])
        #expect(key.wait(40) == Talk.keepAlive(.processing, on: channels[0]))
        #expect(key.device.deadline == .milliseconds(160))
        #expect(key.wait(60) == Talk.keepAlive(.processing, on: channels[1]))
        let change = key.device.setStatus(.userPresenceNeeded, of: id, at: .milliseconds(160))
        #expect(change == Talk.keepAlive(.userPresenceNeeded, on: channels[0]))
        #expect(
            key.wait(500) == Talk.keepAlive(.userPresenceNeeded, on: channels[0])
                + Talk.keepAlive(.processing, on: channels[1]))
        _ = key.device.answer(id, with: [0], at: .milliseconds(700))
        #expect(key.device.deadline == .milliseconds(760))
        #expect(key.wait(100) == Talk.keepAlive(.processing, on: channels[1]))
    }

    @Test("refuses one too many, a second one of a channel, and what is not a request")
    func refusals() throws {
        var (key, id, channels) = try begun(max: 1)
        #expect(key.send(.cbor, [], on: channels[1]) == Talk.refusal(.invalidLength, on: channels[1]))
        let others: [(CTAPHIDCommand, [UInt8])] = [(.ping, [1]), (.wink, []), (.lock, [1]), (.message, [1])]
        for (command, payload) in others {
            #expect(key.send(command, payload, on: channels[1]) == Talk.refusal(.channelBusy, on: channels[1]))
        }
        #expect(key.send(.cbor, [5], on: channels[1]) == [])
        for channel in channels {
            #expect(key.send(.cbor, [6], on: channel) == Talk.refusal(.channelBusy, on: channel))
        }
        _ = key.device.answer(id, with: [0], at: .zero)
        #expect(key.send(.cbor, [6], on: channels[2]) == [])
    }

    @Test("receives one message at a time, for which its time counts")
    func receiving() throws {
        var (key, id, channels) = try begun()
        let reports = CTAPHIDMessage(channels[1], .cbor, pattern(100)).reports
        #expect(key.receive(reports[0]) == [])
        #expect(key.send(.cbor, [5], on: channels[2]) == Talk.refusal(.channelBusy, on: channels[2]))
        #expect(key.device.deadline == .milliseconds(100))
        #expect(key.device.messageDeadline == .milliseconds(500))
        #expect(key.wait(100) == Talk.keepAlive(.processing, on: channels[0]))
        #expect(
            key.wait(400)
                == Talk.refusal(.messageTimeout, on: channels[1]) + Talk.keepAlive(.processing, on: channels[0]))
        // A part is missing.
        #expect(key.receive(reports[0]) == [])
        #expect(key.receive(reports[0]) == Talk.refusal(.invalidSequence, on: channels[1]))
        // The one before is answered meanwhile.
        #expect(key.receive(reports[0]) == [])
        #expect(key.device.answer(id, with: [0], at: .zero) == Talk.sent(.cbor, [0], on: channels[0]))
        let next = CTAPHIDDevice.Request(id: id + 1, channel: channels[1], payload: pattern(100))
        #expect(key.receive(reports[1]) == [.process(next)])
    }

    @Test("answers one that is cancelled while it waits, and the authenticator does not hear of it")
    func cancel() throws {
        var (key, id, channels) = try begun()
        #expect(key.send(.cbor, [5], on: channels[1]) == [])
        #expect(key.send(.cbor, [6], on: channels[2]) == [])
        #expect(key.send(.cancel, on: channels[1]) == Talk.sent(.cbor, [0x2D], on: channels[1]))
        #expect(key.send(.cancel, on: channels[1]) == [])
        #expect(key.send(.cancel, on: channels[0]) == [.cancel(id)])
        #expect(key.send(.cancel, on: channels[0]) == [])
        let next = CTAPHIDDevice.Request(id: id + 1, channel: channels[2], payload: [6])
        #expect(
            key.device.answer(id, with: [0x2D], at: .zero)
                == Talk.sent(.cbor, [0x2D], on: channels[0]) + [.process(next)])
    }

    @Test("drops one with CTAPHID_INIT, and processes none before the authenticator has answered (HT-HID-19)")
    func setBack() throws {
        var (key, id, channels) = try begun()
        #expect(key.send(.cbor, [5], on: channels[1]) == [])
        #expect(key.send(.cbor, [6], on: channels[2]) == [])
        #expect(key.send(.initialize, Talk.nonce, on: channels[1]).count == 1)
        #expect(key.send(.initialize, Talk.nonce, on: channels[0]).first == .abandon(id))
        #expect(key.send(.cbor, [7], on: channels[0]) == [])
        let next = CTAPHIDDevice.Request(id: id + 1, channel: channels[2], payload: [6])
        #expect(key.device.answer(id, with: [0], at: .zero) == [.process(next)])
        let last = CTAPHIDDevice.Request(id: id + 2, channel: channels[0], payload: [7])
        #expect(
            key.device.answer(id + 1, with: [0], at: .zero)
                == Talk.sent(.cbor, [0], on: channels[2]) + [.process(last)])
    }

    @Test("is free for anything but requests while an authenticator has not answered one that was dropped")
    func afterDropped() throws {
        var (key, id, channels) = try begun()
        #expect(key.send(.initialize, Talk.nonce, on: channels[0]).first == .abandon(id))
        #expect(key.device.deadline == nil)
        #expect(try key.call(.ping, pattern(100), on: channels[1]) == .response(pattern(100)))
        // A lock that is taken now holds for those who come.
        #expect(try key.call(.lock, [10], on: channels[1]) == .response([]))
        #expect(key.send(.cbor, [5], on: channels[2]) == Talk.refusal(.channelBusy, on: channels[2]))
        #expect(key.send(.cbor, [5], on: channels[1]) == [])
        let next = CTAPHIDDevice.Request(id: id + 1, channel: channels[1], payload: [5])
        #expect(key.device.answer(id, with: [0], at: .zero) == [.process(next)])
        #expect(key.send(.cbor, [5], on: channels[2]) == Talk.refusal(.channelBusy, on: channels[2]))
        _ = key.wait(10_000)
        #expect(key.send(.cbor, [5], on: channels[2]) == [])
    }

    @Test("forgets them all when the last program has gone")
    func closed() throws {
        var (key, id, channels) = try begun()
        #expect(key.send(.cbor, [5], on: channels[1]) == [])
        #expect(key.receive(CTAPHIDMessage(channels[2], .cbor, pattern(58)).reports[0]) == [])
        #expect(key.device.close() == [.abandon(id)])
        #expect(key.device.deadline == nil)
        #expect(key.device.heldByteCount == 0)
        #expect(key.send(.cbor, [6], on: channels[2]) == [])
        #expect(key.device.close() == [])
        #expect(key.device.answer(id, with: [0], at: .zero) == [])
        #expect(try key.request(on: channels[1]).id == id + 1)
    }

    @Test("does not give a channel out a second time whose request waits (HT-HID-11)")
    func inUse() throws {
        var key = Conversation(maxWaitingCount: 1, lastChannel: .max - 1)
        #expect(try key.open().rawValue == 1)
        _ = try key.request(on: CTAPHIDChannel(rawValue: 9))
        #expect(key.send(.cbor, [5], on: CTAPHIDChannel(rawValue: 2)) == [])
        #expect(try key.open().rawValue == 3)
    }
}
