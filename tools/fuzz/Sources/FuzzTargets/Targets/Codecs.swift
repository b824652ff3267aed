internal import Encodings

@testable internal import HybridProtocol

extension FuzzTarget {
    static let qrDigits = FuzzTarget("qr-digits", "digits to bytes and back") { input in
        let bytes = input.rest()
        if let decoded = try? QRDigits.decode(bytes.span) {
            expect(QRDigits.encode(decoded.span).utf8.elementsEqual(bytes), "digits are not what their bytes encode to")
        }
        let digits = Array(QRDigits.encode(bytes.span).utf8)
        guard digits.count <= QRDigits.maximumDigitCount else { return }
        expect(try QRDigits.decode(digits.span) == bytes, "bytes are not what their digits decode to")
    }

    static let cbor = FuzzTarget("cbor", "strict and lenient decoding, against each other and against the encoder") {
        input in
        let bytes = input.rest()
        let strict = try? CBORValue.decode(bytes.span)
        let lenient = try? CBORValue.decodeLenient(bytes.span)
        if let strict {
            expect(strict.encoded() == bytes, "what strict decoding takes encodes to other bytes")
            expect(lenient == strict, "lenient decoding reads canonical bytes differently")
        }
        if let lenient {
            let canonical = lenient.encoded()
            expect(
                try CBORValue.decodeLenient(canonical.span).encoded() == canonical,
                "encoding has no fixed point: \(canonical)")
            _ = lenient.diagnostic()
        }
        if let (value, byteCount) = try? CBORValue.decodePrefix(bytes.span) {
            expect(value.encoded() == Array(bytes.prefix(byteCount)), "a prefix encodes to other bytes")
            expect((byteCount == bytes.count) == (strict != nil), "a prefix and the whole are judged differently")
        } else {
            expect(strict == nil, "the whole is taken, but not as a prefix")
        }
    }

    static let invitation = FuzzTarget("invitation", "a QR code's text, and the map in it") { input in
        let isText = input.bool()
        let bytes = input.rest()
        // Most inputs are refused.
        guard
            let first = try? isText
                ? Invitation(url: String(decoding: bytes, as: UTF8.self)) : Invitation(cbor: bytes.span)
        else { return }
        let encoded = first.encodedCBOR()
        let second = try Invitation(cbor: encoded.span)
        expect(second.details == first.details, "details change when written and read")
        expect(second.clientPublicKey == first.clientPublicKey, "the key changes when written and read")
        expect(second.encodedCBOR() == encoded, "encoding has no fixed point")
        let third = try Invitation(url: first.url())
        expect(third.encodedCBOR() == encoded, "text and map differ")
        expect(try third.tunnelID() == first.tunnelID(), "the secret changes when written and read")
    }

    static let contactRequest = FuzzTarget(
        "contact-request", "what the tunnel service hands to an authenticator that it wakes"
    ) {
        input in
        if input.bool() {
            _ = try? ContactRequest(headerValue: String(decoding: input.rest(), as: UTF8.self))
            return
        }
        let bytes = input.rest()
        guard let request = try? ContactRequest(decoding: bytes.span) else { return }
        let written = request.encoded()
        let again = try ContactRequest(decoding: written.span)
        expect(again.linkID == request.linkID && again.nonce == request.nonce, "a contact request changes")
        expect(again.encoded() == written, "writing a contact request has no fixed point")
    }

    static let messages = FuzzTarget("messages", "the first message, typed messages, updates, tunnel domains") {
        input in
        let kind = input.number(below: 4)
        let bytes = input.rest()
        switch kind {
        case 0:
            guard let first = try? FirstMessage(decoding: bytes.span) else { return }
            guard try ReceivedFirstMessage(decoding: bytes.span).linking == nil else { return }
            let again = try FirstMessage(decoding: first.encoded().span)
            expect(again.getInfo == first.getInfo && again.features == first.features, "a first message changes")
            if first.revision == .padded { _ = try FirstMessage.unpadRevision0(bytes.span) }
        case 1:
            guard let message = try? Message(decoding: bytes.span) else { return }
            expect([message.type.rawValue] + message.contents == bytes, "a message changes when written")
        case 2: _ = try? Update(decoding: bytes.span)
        default:
            var padded = bytes
            let wasTaken = (try? Padding.unpad(&padded)) != nil
            expect(!wasTaken || bytes.starts(with: padded), "padding is not cut off the end")
            var message = bytes
            Padding.pad(&message)
            try Padding.unpad(&message)
            expect(message == bytes, "padding does not come off again")
        }
    }
}
