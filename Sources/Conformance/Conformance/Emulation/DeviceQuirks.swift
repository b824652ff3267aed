package import HybridTransport

/// A quirk of an emulated authenticator, by its name in `personas.json`.
package enum PhoneQuirk: String, Sendable, CaseIterable {
    case domainApple = "domain-apple"
    case uuidFDE2 = "uuid-fde2"
    case noSuffix = "no-suffix"
    case advertEach100ms = "advert-each-100-ms"
    case advertises20Seconds = "advertises-20-seconds"
    case noLinking = "no-linking"
    case dropsWhenDeclined = "drops-when-declined"
    case silentGetInfo = "silent-get-info"
    case wantsNames = "wants-names"
    case passesOverUSB = "passes-over-usb"
    case onePerAccount = "one-per-account"
    case getInfoICloud = "get-info-icloud"
    case featuresWithDC = "features-with-dc"
    case getInfoAndroid = "get-info-android"
    case devicePubKey = "device-pub-key"
    case updateOf512 = "update-of-512"
    case endsAtUnknown = "ends-at-unknown"
    case linkWith999 = "link-with-999"
    case strictOrder = "strict-order"
    case refusesChannelList = "refuses-channel-list"
    case revision0 = "revision-0"
    case lowerCaseTunnel = "lower-case-tunnel"
    case findsCodeInText = "finds-code-in-text"
    case anySecret = "any-secret"
    case timeInNonce = "time-in-nonce"
    case takesHandshakePayload = "takes-handshake-payload"
    case sendsShutdown = "sends-shutdown"
    case endsAtPing = "ends-at-ping"
    case other02For2E = "other-02-for-2e"
    case dropsUV = "drops-uv"
}

/// A quirk of an emulated client, by its name in `personas.json`.
package enum ClientQuirk: String, Sendable, CaseIterable {
    case linkingFalse = "linking-false"
    case linkingAbsent = "linking-absent"
    case noChannelList = "no-channel-list"
    case advertsOf20Bytes = "adverts-of-20-bytes"
    case shutdownIsAnError = "shutdown-is-an-error"
    case lowerCaseTunnel = "lower-case-tunnel"
    case typeBeforePadding = "type-before-padding"
    case noShutdown = "no-shutdown"
    case noHint = "no-hint"
    case requestFirst = "request-first"
}

/// A quirk of an emulated tunnel service, by its name in `personas.json`.
package enum ServiceQuirk: String, Sendable, CaseIterable {
    case sixteenMessages = "16-messages"
    case sixteenKiBMessages = "16-kib-messages"
    case routingIDOfZeros = "routing-id-of-zeros"
    case status400WithoutSubprotocol = "400-without-subprotocol"
    case status403WithoutSubprotocol = "403-without-subprotocol"
    case lowerCaseOnly = "lower-case-only"
    case noNew = "no-new"
}

/// The name of a persona or quirk that there is not.
package struct UnknownPersona: Error {
    package let name: String
    /// Those that there are.
    package let known: [String]
}

extension RawRepresentable where RawValue == String, Self: Hashable {
    /// The quirks of a persona, with some more and without some.
    ///
    /// - Throws: ``UnknownPersona`` for a name that there is not in this role.
    package static func quirks(
        like name: String?, with more: [String] = [], without less: [String] = [], in role: PersonaRole
    ) throws(UnknownPersona) -> Set<Self> {
        let personas = PersonaCatalogue.personas(role)
        let persona = personas.first { $0.name == name }
        if let name, persona == nil { throw UnknownPersona(name: name, known: personas.map(\.name)) }
        func named(_ names: [String]) throws(UnknownPersona) -> Set<Self> {
            var found: Set<Self> = []
            for name in names {
                guard let quirk = Self(rawValue: name) else {
                    throw UnknownPersona(name: name, known: PersonaCatalogue.quirks(role).map(\.id))
                }
                found.insert(quirk)
            }
            return found
        }
        return try named(persona?.quirks ?? []).union(named(more)).subtracting(named(less))
    }
}
