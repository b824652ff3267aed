import Cryptography
import Encodings
import HybridProtocol
import Testing

/// Linking in a QR-initiated session: a client of ours takes the offers of an authenticator of
/// ours (HT-LNK-2, HT-LNK-30).
@Suite("Linking")
struct LinkingTests {
    @Test("gives the client a link with this session's domain")
    func link() throws {
        var pair = try Pair(details: .linkable)
        let takesOffer = pair.authenticator.takesLinkOffer
        #expect(takesOffer)
        let event = try pair.client.open(pair.authenticator.sealUpdate(offering: LinkMaker.offer()))
        #expect(event == .update(.verified))
        guard let link = pair.client.takeLink() else { throw LinkMaker.NoLink() }
        let (contactID, linkID, name, domain) = (link.contactID, link.linkID, link.name, link.domain)
        #expect(contactID.bytes == LinkMaker.contactID)
        #expect(linkID.bytes == LinkMaker.linkID)
        #expect(name == "Küche")
        #expect(domain == .apple)
        let publicKey = link.publicKey
        #expect(try publicKey == LinkMaker.root().identityKey().publicKey)
        #expect(pair.client.takenName() == nil)
    }

    @Test("may come before a request, between request and answer, after the answer, and after the client's shutdown")
    func anyTime() throws {
        for moment in 0..<4 {
            var pair = try Pair(details: .linkable)
            func offer(_ now: Int) throws {
                guard now == moment else { return }
                let event = try pair.client.open(pair.authenticator.sealUpdate(offering: LinkMaker.offer()))
                #expect(event == .update(.verified))
            }
            try offer(0)
            _ = try pair.authenticator.open(pair.client.sealRequest(.ctap([4])))
            try offer(1)
            let answer = try pair.client.open(pair.authenticator.sealResponse(.ctap([0])))
            #expect(answer == .response(.ctap([0])))
            try offer(2)
            _ = try pair.authenticator.open(#require(try pair.client.sealShutdown()))
            try offer(3)
            #expect(pair.client.takenName() != nil)
        }
    }

    @Test("is offered once")
    func twice() throws {
        var pair = try Pair(details: .linkable)
        _ = try pair.authenticator.sealUpdate(offering: LinkMaker.offer())
        let takesOffer = pair.authenticator.takesLinkOffer
        #expect(!takesOffer)
        #expect(refusal { _ = try pair.authenticator.sealUpdate(offering: LinkMaker.offer()) } == .alreadyLinked)
        _ = try pair.authenticator.sealUpdate()
    }

    @Test("is not offered where key 4 of the QR code is false or absent, but filler is sent", arguments: [false, nil])
    func notOffered(supportsLinking: Bool?) throws {
        var pair = try Pair(
            details: .init(timestamp: nil, supportsLinking: supportsLinking, hint: .getAssertion))
        let takesOffer = pair.authenticator.takesLinkOffer
        #expect(!takesOffer)
        #expect(refusal { _ = try pair.authenticator.sealUpdate(offering: LinkMaker.offer()) } == .linkingNotOffered)
        let event = try pair.client.open(pair.authenticator.sealUpdate())
        #expect(event == .update(.none))
        #expect(pair.client.takenName() == nil)
    }

    @Test("cannot be told from filler by the length of the frame, whatever the name")
    func frameLength() throws {
        for byteCount in 0...140 {
            var pair = try Pair(details: .linkable)
            let name = String(repeating: "n", count: byteCount)
            let offer = try LinkMaker.offer(contactID: [UInt8](repeating: 1, count: 41), name: name)
            let frame = try pair.authenticator.sealUpdate(offering: offer)
            #expect(frame.count == 560)
            #expect(try pair.authenticator.sealUpdate().count == 560)
            _ = try pair.client.open(frame)
            #expect(pair.client.takenName() == String(name.prefix(Link.maximumNameByteCount)))
        }
    }

    @Test("of a longer contact ID has the next multiple of 512 bytes", arguments: [(400, 1072), (4096, 4656)])
    func longContactID(byteCount: Int, frameByteCount: Int) throws {
        var pair = try Pair(details: .linkable)
        let offer = try LinkMaker.offer(contactID: [UInt8](repeating: 1, count: byteCount))
        let frame = try pair.authenticator.sealUpdate(offering: offer)
        #expect(frame.count == frameByteCount)
        let event = try pair.client.open(frame)
        #expect(event == .update(.verified))
    }

    @Test("cuts a long name between two characters")
    func longName() throws {
        let offer = try LinkMaker.offer(name: String(repeating: "a", count: 127) + "ü" + "b")
        let name = offer.name
        #expect(name == String(repeating: "a", count: 127))
    }

    @Test("is over once the session has failed, but filler may follow the client's shutdown")
    func ended() throws {
        var failed = try Pair(details: .linkable)
        _ = try? failed.authenticator.open([1, 2, 3])
        let takesOffer = failed.authenticator.takesLinkOffer
        #expect(!takesOffer)
        #expect(refusal { _ = try failed.authenticator.sealUpdate() } == .sessionEnded)
        #expect(refusal { _ = try failed.authenticator.sealUpdate(offering: LinkMaker.offer()) } == .sessionEnded)

        var shutDown = try Pair(details: .linkable)
        _ = try shutDown.authenticator.open(#require(try shutDown.client.sealShutdown()))
        let event = try shutDown.client.open(shutDown.authenticator.sealUpdate())
        #expect(event == .update(.none))
    }
}
