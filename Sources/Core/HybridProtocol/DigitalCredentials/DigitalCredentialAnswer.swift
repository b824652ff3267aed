public import Encodings

/// The answer of a wallet to a ``DigitalCredentialRequest``.
///
/// Its JSON is `{"response":{"digital":{"data":{"protocol":…,"data":…}}}}`, or
/// `{"response":{"digital":{"error":…}}}` (HT-DC-28, HT-DC-29). Source: Chromium's
/// `cross_device_request_dispatcher.cc`, which since 2026 takes no answer without the inner `protocol` and `data`.
public enum DigitalCredentialAnswer: Sendable, Hashable {
    /// A credential.
    case credential(DigitalCredential)
    /// A refusal.
    case refusal(DigitalCredentialRefusal)

    /// Reads an answer. One with an error is a refusal, whatever else it has (HT-DC-35); any other needs a credential
    /// whole (HT-DC-36, HT-DC-37).
    ///
    /// - Parameter json: of at most 1 MiB and 64 levels.
    /// - Throws: `invalidJSON`, `tooLarge`, `missingMember`, `wrongType`.
    public init(parsing json: String) throws(DigitalCredentialError) {
        let digital = try JSONValue(message: json).member("response", \.self).member("digital", \.self)
        if digital["error"] != nil {
            self = .refusal(DigitalCredentialRefusal(rawValue: try digital.member("error", \.stringValue)))
        } else {
            let data = try digital.member("data", \.self)
            self = .credential(
                DigitalCredential(
                    exchangeProtocol: try data.member("protocol", \.stringValue), data: try data.member("data", \.self))
            )
        }
    }

    /// The answer as it is sent.
    public var json: String {
        let digital: JSONValue =
            switch self {
            case .credential(let credential): ["data": credential.json]
            case .refusal(let refusal): ["error": .string(refusal.rawValue)]
            }
        let message: JSONValue = ["response": ["digital": digital]]
        return message.text
    }
}

/// A digital credential on its way to a site: opaque, and for the site to verify.
public struct DigitalCredential: Sendable, Hashable {
    /// The protocol that ``data`` is of: one of the request's.
    public let exchangeProtocol: String
    /// The contents for the site, as the protocol has them.
    public let data: JSONValue

    /// Makes a credential.
    public init(exchangeProtocol: String, data: JSONValue) {
        self.exchangeProtocol = exchangeProtocol
        self.data = data
    }

    /// The credential as a page gets it: `{"protocol":…,"data":…}`.
    public var json: JSONValue { ["protocol": .string(exchangeProtocol), "data": data] }
}

/// A reason for which there is no credential: an open set of names, of which browsers know three (HT-DC-29, HT-DC-35).
public struct DigitalCredentialRefusal: RawRepresentable, Sendable, Hashable {
    /// The name, as it is sent. It may have come from the other side, and be anything.
    public let rawValue: String

    /// Makes a refusal from its name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The user declined.
    public static let userCanceled = Self(rawValue: "USER_CANCELED")
    /// The wallet's device could not go on.
    public static let deviceAborted = Self(rawValue: "DEVICE_ABORTED")
    /// There is no credential of the kind.
    public static let noCredential = Self(rawValue: "NO_CREDENTIAL")
    /// The request is not valid. A name of our own, which browsers take for "something else".
    public static let invalidRequest = Self(rawValue: "INVALID_REQUEST")
}
