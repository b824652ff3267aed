internal import Cryptography
internal import HybridProtocol

extension FuzzTarget {
    static let contact = FuzzTarget("contact", "the contact protocol: messages of both sides, proofs, tokens") {
        input in
        let kind = input.number(below: 4)
        let challenge = [UInt8](repeating: 3, count: ContactRegistration.challengeByteCount)
        switch kind {
        case 0:
            let bytes = input.rest()
            guard let message = try? AuthenticatorMessage(decoding: bytes) else { return }
            expect(
                try AuthenticatorMessage(decoding: message.encoded()) == message, "an authenticator's message changes")
            guard case .register(let registration) = message else { return }
            _ = try? registration.authenticator(host: "localhost", challenge: challenge)
        case 1:
            let bytes = input.rest()
            guard let message = try? ServiceMessage(decoding: bytes) else { return }
            expect(try ServiceMessage(decoding: message.encoded()) == message, "a service's message changes")
        case 2:
            let issuer = try ContactTokenIssuer(secret: SecretBytes(copying: challenge.span))
            let label = input.bytes(ContactLabel.byteCount)
            guard let label = ContactLabel(label) else { finding("eight bytes are not a label") }
            let key = try P256.PrivateKey.generate()
            let token = ContactToken(authenticator: AuthenticatorID(key.publicKey), label: label)
            let good = issuer.contactID(of: token)
            expect(issuer.token(good) == token, "a token does not come back")
            var altered = good
            if input.alter(&altered) { expect(issuer.token(altered) == nil, "an altered token is taken") }
        default:
            let key = try P256.PrivateKey.generate()
            let labels = (0..<input.number(below: 5)).compactMap { _ in
                ContactLabel(input.bytes(ContactLabel.byteCount))
            }
            let registration = try ContactRegistration(
                labels: labels, listens: input.bool(), host: "localhost", challenge: challenge, key: key)
            let good = AuthenticatorMessage.register(registration).encoded()
            var altered = good
            let isAltered = input.alter(&altered)
            guard case .register(let read) = try? AuthenticatorMessage(decoding: altered) else {
                expect(isAltered, "a good registration is refused")
                return
            }
            let isTaken = (try? read.authenticator(host: "localhost", challenge: challenge)) != nil
            expect(isTaken == (read == registration), "a proof is judged wrongly")
        }
    }
}
