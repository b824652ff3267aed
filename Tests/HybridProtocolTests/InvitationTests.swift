import Cryptography
import Encodings
import HybridProtocol
import Testing

/// Contents of a QR code (the article QR code of HybridProtocol), beyond the single cases of the vectors.
@Suite("An invitation")
struct InvitationTests {
    @Test("of a client can be cloned, for a second attempt at the same session")
    func cloned() throws {
        let invitation = try ClientInvitation(
            privateKey: .generate(), secret: SecretBytes.random(count: Invitation.secretByteCount),
            details: .init(timestamp: 1, hint: .makeCredential))
        let clone = invitation.clone()
        #expect(clone.invitation.url() == invitation.invitation.url())
        #expect(try clone.invitation.tunnelID() == invitation.invitation.tunnelID())
    }

    @Test("survives being written and read, 500 random ones")
    func roundTrip() throws {
        for _ in 0..<500 {
            let details = Invitation.Details(
                knownDomainCount: [nil, .random(in: 0...UInt64.max)].randomElement() ?? nil,
                timestamp: [nil, .random(in: 0...UInt64.max)].randomElement() ?? nil,
                supportsLinking: [nil, true, false].randomElement() ?? nil,
                hint: RequestHint.allCases.randomElement() ?? .getAssertion,
                channels: [[.webSocket], [.ble], [.ble, .webSocket]].randomElement() ?? [])
            let made = try Inputs.clientInvitation(details)
            let url = made.invitation.url()
            let read = try Invitation(url: url)
            let readDetails = read.details
            let sameKey = read.clientPublicKey == made.invitation.clientPublicKey
            #expect(readDetails == details)
            #expect(sameKey)
            #expect(try read.tunnelID() == made.invitation.tunnelID())
            let again = read.url()
            #expect(again == url)
        }
    }

    @Test("of a client of ours has 174 characters and states key 4")
    func length() throws {
        let made = try Inputs.clientInvitation(Invitation.Details(timestamp: 1_700_000_000, hint: .getAssertion))
        let url = made.invitation.url()
        #expect(url.utf8.count == 174)
        let linking = try Invitation(url: url).details.supportsLinking
        #expect(linking == false)
    }

    @Test("lists each channel once, in order")
    func channels() {
        let details = Invitation.Details(timestamp: nil, hint: .getAssertion, channels: [.ble, .webSocket, .ble])
        #expect(details.channels == [.webSocket, .ble])
    }

    @Test("is refused in every truncation")
    func truncations() throws {
        let url = try Inputs.clientInvitation().invitation.url()
        for count in 0..<url.utf8.count {
            let code = refusal { _ = try Invitation(url: String(url.prefix(count))) }
            #expect(code != nil, "\(count) characters")
        }
    }

    @Test("with one digit changed is another invitation or none, and never a crash")
    func changedDigits() throws {
        let url = Array(try Inputs.clientInvitation().invitation.url())
        for index in url.indices {
            for digit in "0123456789" where url[index] != digit {
                var changed = url
                changed[index] = digit
                // The result of the change is chance; it has to be read, or refused with a code.
                _ = refusal { _ = try Invitation(url: String(changed)) }
            }
        }
    }

    @Test("of 10 MB is refused without being read to the end")
    func tenMegabytes() throws {
        let url = "FIDO:/" + String(repeating: "1", count: 10_000_000)
        let clock = ContinuousClock()
        var code: HybridProtocolError.Code?
        let time = clock.measure { code = refusal { _ = try Invitation(url: url) } }
        #expect(code == .tooLong)
        #expect(time < .seconds(1))
    }

    @Test("gives a tunnel ID and an advert key that both ends derive alike")
    func derivations() throws {
        let made = try Inputs.clientInvitation()
        let read = try Invitation(url: made.invitation.url())
        var ours = try made.invitation.advertKey()
        var theirs = try read.advertKey()
        let plaintext = try Inputs.advert(domain: .apple)
        let sealed = try theirs.seal(plaintext)
        let opened = try ours.open(sealed.span)
        #expect(opened.plaintext == plaintext)
        #expect(opened.plaintext.domain == .apple)
    }

    @Test("made of random bytes is refused by a name, never a crash")
    func randomBytes() throws {
        for _ in 0..<20_000 {
            let cbor = Cryptography.randomBytes(count: .random(in: 0...80))
            let code = refusal { _ = try Invitation(cbor: cbor.span) }
            #expect(code != nil)
        }
    }
}
