import CTAP
import Encodings
import Testing

/// The answers of an authenticator to requests that break CTAP 2.2 sections 6 and 8.
@Suite struct RequestDecodingTests {
    static let hash = CBORValue.bytes([UInt8](repeating: 0xaa, count: 32))
    static let makeCredential: CBORMap = [
        1: hash, 2: ["id": "example.org", "name": "Example"], 3: ["id": .bytes([1]), "name": "a", "displayName": "A"],
        4: [["alg": -7, "type": "public-key"]],
    ]
    static let getAssertion: CBORMap = [1: "example.org", 2: hash]

    /// A change to a request: the path of keys to the changed value, and the new one, or nil to remove it.
    struct Change: Sendable, CustomTestStringConvertible {
        let path: [CBORValue]
        let value: CBORValue?
        let status: CTAPStatus
        var testDescription: String { "\(path.map { $0.diagnostic() }) = \(value?.diagnostic() ?? "absent")" }

        init(_ path: [CBORValue], _ value: CBORValue?, _ status: CTAPStatus) {
            self.path = path
            self.value = value
            self.status = status
        }

        func applied(to map: CBORMap) -> CBORMap { Self.set(path[...], value, in: map) }

        private static func set(_ path: ArraySlice<CBORValue>, _ value: CBORValue?, in map: CBORMap) -> CBORMap {
            var map = map
            guard let key = path.first else { return map }
            map[key] = path.count == 1 ? value : .map(set(path.dropFirst(), value, in: map[key]?.mapValue ?? [:]))
            return map
        }
    }

    static let descriptor: CBORValue = ["id": .bytes([1, 2]), "type": "public-key"]

    static let makeCredentialFaults: [Change] =
        [1, 2, 3, 4].map { Change([$0], nil, .missingParameter) }
        + (1...11).map { Change([CBORValue($0)], .null, .unexpectedType) }
        + [
            Change([1], .bytes([]), .invalidLength),
            Change([1], .bytes(.init(repeating: 0, count: 31)), .invalidLength),
            Change([1], .bytes(.init(repeating: 0, count: 33)), .invalidLength), Change([1], "text", .unexpectedType),
            Change([2, "id"], nil, .missingParameter), Change([2, "id"], 1, .unexpectedType),
            Change([2, "name"], 1, .unexpectedType), Change([3, "id"], nil, .missingParameter),
            Change([3, "id"], "text", .unexpectedType), Change([3, "id"], .bytes([]), .invalidLength),
            Change([3, "id"], .bytes(.init(repeating: 0, count: 65)), .invalidLength),
            Change([3, "name"], .bytes([]), .unexpectedType), Change([3, "displayName"], true, .unexpectedType),
            Change([4], [1], .unexpectedType), Change([4], [["type": "public-key"]], .missingParameter),
            Change([4], [["alg": -7]], .missingParameter), Change([4], [["alg": "x", "type": "y"]], .unexpectedType),
            Change([5], [1], .unexpectedType), Change([5], [["id": .bytes([1])]], .missingParameter),
            Change([5], [["type": "public-key"]], .missingParameter),
            Change([5], [descriptor, ["id": "x", "type": "public-key"]], .unexpectedType),
            Change([5], [["id": .bytes([1]), "type": "public-key", "transports": [1]]], .unexpectedType),
            Change([6], [1: 2], .unexpectedType), Change([7, "rk"], 1, .unexpectedType),
            Change([7, "uv"], .null, .unexpectedType), Change([7, "up"], "no", .unexpectedType),
            Change([11], [1], .unexpectedType),
        ]

    static let getAssertionFaults: [Change] =
        [1, 2].map { Change([$0], nil, .missingParameter) }
        + (1...7).map { Change([CBORValue($0)], .null, .unexpectedType) }
        + [
            Change([2], .bytes([1]), .invalidLength), Change([3], [descriptor, 1], .unexpectedType),
            Change([4], [.bytes([]): 1], .unexpectedType), Change([5, "uv"], 0, .unexpectedType),
        ]

    static func status(_ message: [UInt8]) -> CTAPStatus {
        do throws(CTAPError) {
            _ = try CTAPRequest(decoding: message.span)
            return .ok
        } catch {
            return error.status
        }
    }

    @Test("A makeCredential request with a fault gets the status of the fault", arguments: makeCredentialFaults)
    func makeCredentialFault(_ change: Change) {
        #expect(Self.status([0x01] + Self.makeCredential.encoded()) == .ok)
        #expect(Self.status([0x01] + change.applied(to: Self.makeCredential).encoded()) == change.status)
    }

    @Test("A getAssertion request with a fault gets the status of the fault", arguments: getAssertionFaults)
    func getAssertionFault(_ change: Change) {
        #expect(Self.status([0x02] + Self.getAssertion.encoded()) == .ok)
        #expect(Self.status([0x02] + change.applied(to: Self.getAssertion).encoded()) == change.status)
    }

    @Test(
        "A message that is not a request gets the status of the fault",
        arguments: [
            ("", CTAPStatus.invalidLength), ("00", .invalidCommand), ("03", .invalidCommand),
            ("06a0", .missingParameter), ("07", .invalidCommand),
            ("ff", .invalidCommand), ("01", .invalidCBOR), ("0180", .unexpectedType), ("01a0", .missingParameter),
            ("01a1", .invalidCBOR), ("01a000", .invalidCBOR), ("02bfff", .invalidCBOR), ("02a202f401f4", .invalidCBOR),
            ("02a201f401f4", .invalidCBOR), ("02a161ff00", .invalidCBOR), ("04a0", .invalidLength),
            ("0800", .invalidLength),
            ("0bf6", .invalidLength), ("04", .ok), ("08", .ok), ("0b", .ok),
        ])
    func noRequest(_ message: String, _ status: CTAPStatus) {
        #expect(Self.status(bytes(message)) == status)
    }

    @Test("What is not known is ignored, at the top and inside")
    func unknownKeys() throws {
        var request = Self.makeCredential
        request[99] = ["anything": [1, .null]]
        request[-1] = 3
        request["text"] = true
        request[2] = ["id": "example.org", "name": "Example", "icon": 7]
        request[7] = ["rk": true, "new": 9]
        guard case .makeCredential(let read) = try CTAPRequest(decoding: ([0x01] + request.encoded()).span) else {
            Issue.record("not a makeCredential request")
            return
        }
        #expect(read.rp == .init(id: "example.org", name: "Example"))
        #expect(read.options == .init(residentKey: true))
    }

    @Test(
        "A floating-point number is ignored in a parameter that is not known, and nowhere else",
        arguments: [
            (99, .float(1.5), .ok), (99, ["a": [.float(0.1)]], .ok), (-1, .float(1e300), .ok), ("x", .float(1), .ok),
            (99, .undefined, .invalidCBOR), (99, .tagged(0, 1), .invalidCBOR), (1, .float(1.5), .invalidCBOR),
            (7, ["new": .float(1.5)], .invalidCBOR), (11, [.float(1.5)], .invalidCBOR),
        ] as [(CBORValue, CBORValue, CTAPStatus)])
    func floats(_ key: CBORValue, _ value: CBORValue, _ status: CTAPStatus) {
        var request = Self.makeCredential
        request[key] = value
        #expect(Self.status([0x01] + request.encoded()) == status)
    }

    @Test(
        "An algorithm beyond 64 bits is one that nobody knows",
        arguments: [.unsigned(1 << 63), .unsigned(.max), .negative(1 << 63), .negative(.max)] as [CBORValue])
    func algorithmBeyond64Bits(_ number: CBORValue) throws {
        var request = Self.makeCredential
        request[4] = [["alg": number, "type": "public-key"], ["alg": -7, "type": "public-key"]]
        guard case .makeCredential(let read) = try CTAPRequest(decoding: ([0x01] + request.encoded()).span) else {
            Issue.record("not a makeCredential request")
            return
        }
        #expect(read.parameters == [.init(algorithm: .es256)])
    }

    @Test("More items than the limit are too large a request")
    func tooManyItems() {
        var request = Self.makeCredential
        request[99] = .array(.init(repeating: 0, count: CBORLimits.standard.maxItems))
        #expect(Self.status([0x01] + request.encoded()) == .requestTooLarge)
    }

    @Test("Transports are kept when a descriptor is read and left out when it is sent")
    func transports() throws {
        var request = Self.getAssertion
        request[3] = [["id": .bytes([7]), "type": "public-key", "transports": ["usb", "hybrid"]]]
        let read = try CTAPRequest(decoding: ([0x02] + request.encoded()).span)
        guard case .getAssertion(let assertion) = read else {
            Issue.record("not a getAssertion request")
            return
        }
        #expect(assertion.allowList == [.init(id: [7], transports: ["usb", "hybrid"])])
        request[3] = [["id": .bytes([7]), "type": "public-key"]]
        #expect(read.encoded() == [0x02] + request.encoded())
    }

    @Test("Every parameter goes both ways")
    func everyParameter() throws {
        var request = MakeCredentialRequest(
            clientDataHash: .init(repeating: 1, count: 32), rp: .init(id: "a.b", name: nil),
            user: .init(id: [9], name: nil, displayName: nil),
            excludeList: [.init(id: [1]), .init(id: [2], type: "x")],
            extensions: ["prf": [:], "credProtect": 2], options: .init(residentKey: false, userPresence: true),
            attestationFormatsPreference: ["packed", "none"])
        request.pinUvAuthParam = []
        request.pinUvAuthProtocol = 2
        request.enterpriseAttestation = 1
        let made = CTAPRequest.makeCredential(request)
        #expect(try CTAPRequest(decoding: made.encoded().span) == made)
        var sign = GetAssertionRequest(
            rpID: "a.b", clientDataHash: .init(repeating: 2, count: 32), allowList: [.init(id: [3])],
            extensions: ["prf": ["eval": ["first": .bytes([1])]]], options: .init(userPresence: false))
        sign.pinUvAuthParam = [1]
        sign.pinUvAuthProtocol = 1
        let got = CTAPRequest.getAssertion(sign)
        #expect(try CTAPRequest(decoding: got.encoded().span) == got)
        for request in [CTAPRequest.getInfo, .getNextAssertion, .selection] {
            #expect(request.encoded() == [request.command.rawValue])
            #expect(try CTAPRequest(decoding: request.encoded().span) == request)
        }
    }

    @Test("Every truncation and every flipped bit of a recorded request is answered with a status")
    func hostile() throws {
        for session in try ChromiumSession.all() {
            let whole = bytes(session.request)
            for count in 0..<whole.count { #expect(Self.status(Array(whole.prefix(count))) != .ok) }
            var flipped = whole
            for index in flipped.indices {
                for bit in 0..<UInt8.bitWidth {
                    flipped[index] ^= 1 << bit
                    #expect(Self.status(flipped) != .other)
                    flipped[index] ^= 1 << bit
                }
            }
        }
    }
}
