internal import Encodings

/// A credential, named. Source: WebAuthn Level 3 section 5.8.3.
public struct PublicKeyCredentialDescriptor: Sendable, Hashable {
    /// The one type of credential that there is: `public-key`.
    public static let publicKey = "public-key"

    /// The credential ID.
    public var id: [UInt8]
    /// The type; descriptors of other types than ``publicKey`` name no credential.
    public var type: String
    /// The transports that were given for the credential. Kept when read, never sent: an iPhone finds no passkey when
    /// it gets `usb` (HT-CTAP-24).
    public var transports: [String]

    /// Makes a descriptor.
    public init(id: [UInt8], type: String = Self.publicKey, transports: [String] = []) {
        self.id = id
        self.type = type
        self.transports = transports
    }

    init(_ value: CBORValue, _ reading: Parameters.Reading) throws(CTAPError) {
        let members = try Parameters(value, "a credential descriptor", reading)
        id = try members.required("id", "a descriptor's id", \.bytesValue)
        type = try members.required("type", "a descriptor's type", \.textValue)
        transports = try members.texts("transports", "a descriptor's transports")
    }

    /// The descriptor as it is sent, without ``transports``.
    var value: CBORValue { ["id": .bytes(id), "type": .text(type)] }
}
