package import CTAP

/// A key's description of itself, as far as passthrough needs it.
package struct KeyInformation: Sendable, Equatable {
    /// The make of the key, 16 bytes.
    package var aaguid: [UInt8]
    /// The extensions, by name.
    package var extensions: Set<String>
    /// The options that have a truth value, by name.
    package var options: [String: Bool]
    /// The ways to reach it, such as `usb`; empty if it does not say.
    package var transports: [String]
    /// The algorithms of its credentials; ES256 if it does not say.
    package var algorithms: [COSEAlgorithm]
    /// The most credentials that it takes in a list; nil if it does not say.
    package var maxCredentialCountInList: Int?
    /// The longest credential ID that it takes, in bytes; nil if it does not say.
    package var maxCredentialIDByteCount: Int?

    package init(
        aaguid: [UInt8], extensions: Set<String> = [], options: [String: Bool], transports: [String] = [],
        algorithms: [COSEAlgorithm] = [], maxCredentialCountInList: Int? = nil, maxCredentialIDByteCount: Int? = nil
    ) {
        self.aaguid = aaguid
        self.extensions = extensions
        self.options = options
        self.transports = transports
        self.algorithms = algorithms.isEmpty ? [.es256] : algorithms
        self.maxCredentialCountInList = maxCredentialCountInList
        self.maxCredentialIDByteCount = maxCredentialIDByteCount
    }

    /// True if it verifies the user itself, and has been set up for that.
    var verifiesUser: Bool { options["uv"] == true }
    /// True if it has a PIN.
    package var hasPIN: Bool { options["clientPin"] == true }
    /// True if a user can be verified with it, one way or the other.
    package var canVerify: Bool { verifiesUser || hasPIN }
    /// True if it makes discoverable credentials: passkeys.
    var isDiscoverable: Bool { options["rk"] == true }
    /// The credentials that go into one request: a key that does not say takes one.
    var listSize: Int { max(1, maxCredentialCountInList ?? 1) }
}
