public import Encodings

/// The first byte of every CTAP request; those that hybrid authenticators know (CTAP 2.2 section 6; HT-CTAP-5).
public enum CTAPCommand: UInt8, Sendable, CaseIterable {
    /// authenticatorMakeCredential (section 6.1).
    case makeCredential = 0x01
    /// authenticatorGetAssertion (section 6.2).
    case getAssertion = 0x02
    /// authenticatorGetInfo (section 6.4).
    case getInfo = 0x04
    /// authenticatorClientPIN (section 6.5), of which an authenticator without PIN answers the public key alone.
    case clientPIN = 0x06
    /// authenticatorGetNextAssertion (section 6.3).
    case getNextAssertion = 0x08
    /// authenticatorSelection (section 6.9).
    case selection = 0x0b
}

/// A request: the command and its parameters, as a client sends them and an authenticator reads them.
///
/// Source: CTAP 2.2 section 6 (HT-CTAP-1, HT-CTAP-4).
public enum CTAPRequest: Sendable, Hashable {
    /// Make a new credential.
    case makeCredential(MakeCredentialRequest)
    /// Sign in with a credential.
    case getAssertion(GetAssertionRequest)
    /// The next of several assertions that the last ``getAssertion(_:)`` found.
    case getNextAssertion
    /// The authenticator's capabilities.
    case getInfo
    /// The authenticator's public key, for the extension hmac-secret.
    case clientPIN(ClientPINRequest)
    /// Have the user choose this authenticator by touching it.
    case selection

    /// The command byte.
    public var command: CTAPCommand {
        switch self {
        case .makeCredential: .makeCredential
        case .getAssertion: .getAssertion
        case .getNextAssertion: .getNextAssertion
        case .getInfo: .getInfo
        case .clientPIN: .clientPIN
        case .selection: .selection
        }
    }

    /// Reads a request strictly: canonical CBOR, each known parameter of its type, all required ones there. Parameters
    /// and members that are not known are ignored.
    ///
    /// - Parameters:
    ///   - message: the command byte, then the parameters as one CBOR map if the command has any.
    ///   - limits: the most CBOR that is decoded.
    /// - Throws: ``CTAPError``; its `status` is the one to answer with.
    public init(decoding message: Span<UInt8>, limits: CBORLimits = .standard) throws(CTAPError) {
        guard !message.isEmpty else { throw CTAPError(.invalidLength, reason: "an empty message") }
        guard let command = CTAPCommand(rawValue: message[0]) else {
            throw CTAPError(.invalidCommand, reason: "unknown command \(message[0])")
        }
        let parameters = message.extracting(droppingFirst: 1)
        switch command {
        case .makeCredential:
            self = .makeCredential(try MakeCredentialRequest(decoding: parameters, limits: limits))
        case .getAssertion:
            self = .getAssertion(try GetAssertionRequest(decoding: parameters, limits: limits))
        case .getNextAssertion:
            try Self.checkEmpty(parameters)
            self = .getNextAssertion
        case .getInfo:
            try Self.checkEmpty(parameters)
            self = .getInfo
        case .clientPIN:
            self = .clientPIN(try ClientPINRequest(decoding: parameters, limits: limits))
        case .selection:
            try Self.checkEmpty(parameters)
            self = .selection
        }
    }

    private static func checkEmpty(_ parameters: Span<UInt8>) throws(CTAPError) {
        guard parameters.isEmpty else {
            throw CTAPError(.invalidLength, reason: "parameters to a command that has none")
        }
    }

    /// The request as it is sent: the command byte, then canonical CBOR.
    ///
    /// Credential descriptors go out without `transports` (HT-CTAP-24), and empty lists and maps not at all.
    public func encoded() -> [UInt8] {
        switch self {
        case .makeCredential(let request): [command.rawValue] + request.map.encoded()
        case .getAssertion(let request): [command.rawValue] + request.map.encoded()
        case .clientPIN(let request): [command.rawValue] + request.map.encoded()
        case .getNextAssertion, .getInfo, .selection: [command.rawValue]
        }
    }
}

/// A response: the status, then the command's payload, not yet read. Source: CTAP 2.2 sections 6 and 8
/// (HT-CTAP-2).
public struct CTAPResponse: Sendable, Hashable {
    /// Success, or the kind of failure.
    public let status: CTAPStatus
    /// The bytes after the status: CBOR, or nothing.
    public let payload: [UInt8]

    /// Makes a response.
    public init(status: CTAPStatus, payload: [UInt8] = []) {
        self.status = status
        self.payload = payload
    }

    /// Takes a response apart.
    ///
    /// - Parameter message: the status byte, then the payload.
    /// - Throws: ``CTAPError`` `invalid-length` if the message is empty.
    public init(decoding message: Span<UInt8>) throws(CTAPError) {
        guard !message.isEmpty else { throw CTAPError(.invalidLength, reason: "an empty response") }
        status = CTAPStatus(rawValue: message[0])
        payload = message.extracting(droppingFirst: 1).withUnsafeBufferPointer { [UInt8]($0) }
    }

    /// The response as it is sent.
    public func encoded() -> [UInt8] { [status.rawValue] + payload }
}

/// A map that is read by its known keys; the others are ignored.
struct Parameters {
    /// The treatment of an optional parameter of a wrong type.
    enum Reading {
        /// It is refused: an authenticator reading a request (CTAP 2.2 section 6.1.2 step 3 and its like).
        case strict
        /// It is passed over as if absent: a client reading a phone's message (HT-CTAP-19).
        case generous
    }

    let map: CBORMap
    let reading: Reading

    /// Reads a request's parameters: a map in canonical CBOR that takes up the whole input.
    ///
    /// - Parameters:
    ///   - input: the bytes after the command.
    ///   - keys: the keys that the command knows. The values of others are ignored, and may be floating-point numbers
    ///     (HT-CBOR-22).
    ///   - limits: the most CBOR that is decoded.
    init(request input: Span<UInt8>, keys: ClosedRange<UInt64>, limits: CBORLimits) throws(CTAPError) {
        let value: CBORValue
        do throws(CBORError) {
            value = try CBORValue.decode(input, takingFloatsOutside: keys, limits: limits)
        } catch {
            let isTooLarge = error.code == .tooLarge || error.code == .tooManyItems
            throw CTAPError(isTooLarge ? .tooLarge : .invalidCBOR, reason: error.description, place: error.place)
        }
        try self.init(value, "the message", .strict)
    }

    /// Reads a response: a map in any CBOR that takes up the whole input.
    init(response input: Span<UInt8>, limits: CBORLimits) throws(CTAPError) {
        let value: CBORValue
        do throws(CBORError) {
            value = try CBORValue.decodeLenient(input, limits: limits)
        } catch {
            throw CTAPError(.invalidCBOR, reason: error.description, place: error.place)
        }
        try self.init(value, "the message", .generous)
    }

    /// Takes a value that must be a map.
    init(_ value: CBORValue, _ name: String, _ reading: Reading) throws(CTAPError) {
        guard case .map(let map) = value else { throw Self.unexpectedType(name) }
        self.map = map
        self.reading = reading
    }

    /// A parameter that must be there, of its type.
    func required<Value>(
        _ key: CBORValue, _ name: String, _ convert: (CBORValue) -> Value?
    ) throws(CTAPError) -> Value {
        guard let value = map[key] else { throw CTAPError(.missingParameter, reason: "\(name) is missing") }
        guard let converted = convert(value) else { throw Self.unexpectedType(name) }
        return converted
    }

    /// A parameter that may be absent.
    func optional<Value>(
        _ key: CBORValue, _ name: String, _ convert: (CBORValue) -> Value?
    ) throws(CTAPError) -> Value? {
        guard let value = map[key] else { return nil }
        if let converted = convert(value) { return converted }
        guard reading == .generous else { throw Self.unexpectedType(name) }
        return nil
    }

    /// The elements of an array that may be absent; absent and empty are the same.
    func list<Element>(
        _ key: CBORValue, _ name: String, _ convert: (CBORValue) throws(CTAPError) -> Element
    ) throws(CTAPError) -> [Element] {
        var elements: [Element] = []
        for value in try optional(key, name, \.arrayValue) ?? [] {
            do throws(CTAPError) {
                elements.append(try convert(value))
            } catch {
                guard reading == .generous else { throw error }
            }
        }
        return elements
    }

    /// The texts of an array that may be absent.
    func texts(_ key: CBORValue, _ name: String) throws(CTAPError) -> [String] {
        try list(key, name) { value throws(CTAPError) in
            guard let text = value.textValue else { throw Self.unexpectedType(name) }
            return text
        }
    }

    static func unexpectedType(_ name: String) -> CTAPError {
        CTAPError(.unexpectedType, reason: "\(name) has a wrong type")
    }
}

extension CBORMap {
    /// Sets an optional entry: absent values and empty lists and maps are left out.
    mutating func set(_ key: CBORValue, _ value: CBORValue?) {
        switch value {
        case .array(let elements)? where elements.isEmpty: self[key] = nil
        case .map(let map)? where map.isEmpty: self[key] = nil
        default: self[key] = value
        }
    }
}
