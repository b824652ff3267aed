internal import CTAP
internal import Encodings
internal import PasskeyAuthenticator

/// The way in which an emulated phone answers requests.
struct PhoneAnswer: Sendable {
    let phone: EmulatedPhone

    /// Result of a request.
    enum Outcome: Sendable {
        /// A status byte and the bytes behind it.
        case answer([UInt8])
        case silence, end
    }

    /// The keys of parameters (CTAP 2.2 sections 6.1 and 6.2).
    private enum Key {
        static let rp = 2
        static let user = 3
        static let allowList = 3
        static let makeOptions = 7
        static let getOptions = 5
    }

    /// Answers a request: the command byte, then the parameters.
    func answer(to request: [UInt8]) async -> Outcome {
        guard let byte = request.first else { return .end }
        let command = CTAPCommand(rawValue: byte)
        if command == .getInfo {
            guard !phone.has(.silentGetInfo) else { return .silence }
            return .answer([CTAPStatus.ok.rawValue] + PhoneGetInfo(phone).encoded())
        }
        let isOperation = command == .makeCredential || command == .getAssertion
        if phone.has(.endsAtUnknown), !isOperation { return .end }
        if isOperation, phone.declines {
            return phone.has(.dropsWhenDeclined) ? .end : .answer([CTAPStatus.operationDenied.rawValue])
        }
        var parameters = Array(request.dropFirst())
        if !phone.has(.strictOrder) { parameters = CanonicalForm.of(parameters) }
        if var map = try? CBORValue.decode(parameters.span).mapValue {
            if let refused = await change(&map, of: command) { return .answer([refused.rawValue]) }
            parameters = map.encoded()
        }
        let authenticator = PasskeyAuthenticator.approvingAll(
            store: phone.store, claimsVerification: !phone.has(.dropsUV))
        var answer = await authenticator.respond(to: [byte] + parameters)
        if phone.has(.other02For2E), answer.first == CTAPStatus.noCredentials.rawValue {
            answer = [CTAPStatus.invalidParameter.rawValue]
        }
        return .answer(answer)
    }

    /// Changes parameters as the quirks have it.
    ///
    /// - Returns: the status of a refusal; nil if there is none.
    private func change(_ map: inout CBORMap, of command: CTAPCommand?) async -> CTAPStatus? {
        switch command {
        case .makeCredential:
            let user = map[Key.user]?.mapValue
            if phone.has(.wantsNames), map[Key.rp]?.mapValue?["name"] == nil || user?["displayName"] == nil {
                return .missingParameter
            }
            if phone.has(.onePerAccount), let site = map[Key.rp]?.mapValue?["id"]?.textValue {
                for old in await phone.store.credentials(rpID: site) where .bytes(old.userHandle) == user?["id"] {
                    try? await phone.store.remove(id: old.id)
                }
            }
            if phone.has(.dropsUV) { dropVerification(&map, Key.makeOptions) }
        case .getAssertion:
            if phone.has(.passesOverUSB), let list = map[Key.allowList]?.arrayValue {
                let rest = list.filter { $0.mapValue?["transports"]?.arrayValue != ["usb"] }
                guard !rest.isEmpty else { return .noCredentials }
                map[Key.allowList] = .array(rest)
            }
            if phone.has(.dropsUV) { dropVerification(&map, Key.getOptions) }
        default: break
        }
        return nil
    }

    private func dropVerification(_ map: inout CBORMap, _ key: Int) {
        guard var options = map[key]?.mapValue else { return }
        options["uv"] = nil
        map[key] = .map(options)
    }
}
