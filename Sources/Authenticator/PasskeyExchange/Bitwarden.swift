internal import Encodings

/// Bitwarden's unencrypted export: items, of which logins may have passkeys.
///
/// It has keys of ES256 alone, and no place for the secrets of prf, large blobs and credProtect. The texts of keys that
/// are made on the way are not wiped.
///
/// Source: bitwarden/clients, libs/common/src/models/export and platform/services/fido2.
package enum Bitwarden {
    /// The largest file that is read: 256 MiB.
    package static let maxByteCount = CXF.maxByteCount

    static let limits = CXF.limits
    /// The number of an item that is a login.
    static let loginType: Int64 = 1

    enum Name {
        static let encrypted = "encrypted"
        static let folders = "folders"
        static let items = "items"
        static let id = "id"
        static let type = "type"
        static let name = "name"
        static let login = "login"
        static let username = "username"
        static let uris = "uris"
        static let uri = "uri"
        static let credentials = "fido2Credentials"
        static let credentialID = "credentialId"
        static let keyType = "keyType"
        static let keyAlgorithm = "keyAlgorithm"
        static let keyCurve = "keyCurve"
        static let keyValue = "keyValue"
        static let rpID = "rpId"
        static let rpName = "rpName"
        static let userHandle = "userHandle"
        static let userName = "userName"
        static let userDisplayName = "userDisplayName"
        static let counter = "counter"
        static let discoverable = "discoverable"
        static let creationDate = "creationDate"
    }

    enum Value {
        static let publicKey = "public-key"
        static let ecdsa = "ECDSA"
        static let p256 = "P-256"
        static let zero = "0"
        static let yes = "true"
        static let no = "false"
    }
}
