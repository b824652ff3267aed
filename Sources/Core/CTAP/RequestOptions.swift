internal import Encodings

/// The options of makeCredential and getAssertion; nil where the request does not say. Source: CTAP 2.2 sections 6.1
/// and 6.2.
public struct RequestOptions: Sendable, Hashable {
    /// `rk`: make a discoverable credential. In makeCredential only; false if absent.
    public var residentKey: Bool?
    /// `up`: require the user's presence. True if absent.
    public var userPresence: Bool?
    /// `uv`: verify the user. False if absent.
    public var userVerification: Bool?

    /// Makes options.
    public init(residentKey: Bool? = nil, userPresence: Bool? = nil, userVerification: Bool? = nil) {
        self.residentKey = residentKey
        self.userPresence = userPresence
        self.userVerification = userVerification
    }

    init(_ value: CBORValue, _ reading: Parameters.Reading) throws(CTAPError) {
        let members = try Parameters(value, "options", reading)
        residentKey = try members.optional("rk", "option rk", \.boolValue)
        userPresence = try members.optional("up", "option up", \.boolValue)
        userVerification = try members.optional("uv", "option uv", \.boolValue)
    }

    var map: CBORMap {
        var map = CBORMap()
        map.set("rk", residentKey.map(CBORValue.bool))
        map.set("up", userPresence.map(CBORValue.bool))
        map.set("uv", userVerification.map(CBORValue.bool))
        return map
    }
}
