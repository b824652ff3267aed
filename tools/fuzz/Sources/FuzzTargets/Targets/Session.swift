internal import HybridProtocol

extension FuzzTarget {
    static let session = FuzzTarget("session", "a peer that has shaken hands and then says anything, in both roles") {
        input in
        if input.bool() { try client(&input) } else { try authenticator(&input) }
    }

    private static let request: [UInt8] = [4]

    private static func client(_ input: inout FuzzInput) throws {
        let isOld = input.bool()
        let alone = try ClientAlone(construction: isOld ? .old : .current)
        var sealer = alone.sealer
        var opener = alone.opener
        let client = alone.client
        let first = try sealer.seal(
            input.bool() ? input.counted(atMost: 255) : FirstMessage(getInfo: Inputs.getInfo).encoded())
        guard var session = try? client.readFirstMessage(first) else { return }
        var isOpen = false
        var hasEnded = false
        while !input.isEmpty {
            do throws(HybridProtocolError) {
                switch input.number(below: 4) {
                case 0:
                    let frame = try session.sealRequest(.ctap(request))
                    expect(!isOpen && !hasEnded, "a request is sealed out of turn")
                    _ = try opener.open(frame)
                    isOpen = true
                case 1:
                    _ = try session.sealShutdown()
                    hasEnded = true
                default:
                    switch try session.open(sealer.seal(input.counted(atMost: 255))) {
                    case .response:
                        expect(isOpen, "an answer to nothing is taken")
                        isOpen = false
                    case .update: break
                    case .shutdown: return ended(&session)
                    }
                }
            } catch {
                let isOurMistake = error.code == .unexpectedMessage && isOpen || error.code == .sessionEnded
                // A refused frame ends the session; a refused request of ours does not.
                if !isOurMistake { return }
            }
        }
    }

    private static func ended(_ session: inout ClientSession) {
        expect((try? session.sealRequest(.ctap(request))) == nil, "a request is sealed after the end")
        expect((try? session.open([])) == nil, "a frame opens after the end")
    }

    private static func authenticator(_ input: inout FuzzInput) throws {
        var alone = try AuthenticatorAlone()
        var isOpen = false
        while !input.isEmpty {
            do throws(HybridProtocolError) {
                if input.number(below: 3) == 0 {
                    _ = try alone.authenticator.sealResponse(.ctap(input.counted(atMost: 40)))
                    expect(isOpen, "an answer to nothing is sealed")
                    isOpen = false
                } else {
                    switch try alone.authenticator.open(alone.sealer.seal(input.counted(atMost: 255))) {
                    case .request(.ctap):
                        expect(!isOpen, "a second request is taken before the first is answered")
                        isOpen = true
                    case .update: break
                    case .request(.json): finding("a JSON request is taken in a session without that feature")
                    case .shutdown:
                        expect(
                            (try? alone.authenticator.sealResponse(.ctap(request))) == nil,
                            "an answer is sealed after the end")
                        return
                    }
                }
            } catch {
                continue
            }
        }
    }
}
