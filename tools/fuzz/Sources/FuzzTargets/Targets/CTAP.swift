internal import CTAP
internal import Encodings

extension FuzzTarget {
    static let ctapRequest = FuzzTarget("ctap-request", "requests, as an authenticator reads them") { input in
        let bytes = input.rest()
        guard let request = try? CTAPRequest(decoding: bytes.span) else { return }
        // A member that is left out in writing is gone in the first writing.
        let encoded = request.encoded()
        let again = try CTAPRequest(decoding: encoded.span)
        expect(again.encoded() == encoded, "a request has no fixed point")
        expect(again.command == request.command, "a request changes its command")
    }

    static let ctapResponse = FuzzTarget("ctap-response", "responses and what is in them, as a client reads them") {
        input in
        let kind = input.number(below: 6)
        let bytes = input.rest()
        switch kind {
        case 0:
            guard let response = try? CTAPResponse(decoding: bytes.span) else { return }
            expect(response.encoded() == bytes, "a response changes when written")
            _ = "\(response.status)"
        case 1:
            guard let info = try? GetInfoResponse(decoding: bytes.span) else { return }
            let encoded = info.encoded()
            // Any CBOR is read; the result is canonical only if the input was CTAP's.
            if let again = try? GetInfoResponse(decoding: encoded.span) {
                expect(again.encoded() == encoded, "getInfo has no fixed point")
            }
        case 2:
            try fixedPoint(
                bytes, { try? MakeCredentialResponse(decoding: $0.span) }, { $0.encoded() }, "makeCredential")
        case 3:
            try fixedPoint(bytes, { try? GetAssertionResponse(decoding: $0.span) }, { $0.encoded() }, "getAssertion")
        case 4:
            try fixedPoint(
                bytes, { try? AttestationObject(decoding: $0.span) }, { $0.encoded() }, "an attestation object")
        default:
            try fixedPoint(bytes, { try? AuthenticatorData(decoding: $0.span) }, { $0.encoded() }, "authenticator data")
        }
    }

    private static func fixedPoint<Value>(
        _ bytes: [UInt8], _ read: ([UInt8]) -> Value?, _ write: (Value) -> [UInt8], _ what: String
    ) throws {
        guard let value = read(bytes) else { return }
        let encoded = write(value)
        guard let again = read(encoded) else { finding("\(what) is not read back") }
        expect(write(again) == encoded, "\(what) has no fixed point")
    }
}
