internal import Encodings

/// Credential Exchange Format 1.0: accounts with items, of which each has credentials, some of them passkeys.
///
/// Only passkeys are read and written; items that hold none are counted. The texts of keys that are made on the way,
/// as JSON has them, are not wiped.
///
/// Source: FIDO Alliance, Credential Exchange Format, Proposed Standard of 2025-08-14 with the errata of 2026-03-09.
package enum CXF {
    /// The version that is written. Files of the same major version are read (section 3.1.1).
    static let version: (major: Int, minor: Int) = (1, 0)
    /// The only algorithm of hmac-secret that there is (section 3.3.12.4).
    static let hmacAlgorithm = "hmac-sha256"

    /// The largest file that is read: 256 MiB.
    package static let maxByteCount = 1 << 28

    static let limits = JSONLimits(byteCount: maxByteCount, depth: 64, valueCount: 1 << 20)

    enum Name {
        static let version = "version"
        static let major = "major"
        static let minor = "minor"
        static let exporterRPID = "exporterRpId"
        static let exporterDisplayName = "exporterDisplayName"
        static let timestamp = "timestamp"
        static let accounts = "accounts"
        static let email = "email"
        static let collections = "collections"
        static let items = "items"
        static let id = "id"
        static let creationAt = "creationAt"
        static let title = "title"
        static let scope = "scope"
        static let urls = "urls"
        static let androidApps = "androidApps"
        static let credentials = "credentials"
        static let type = "type"
        static let passkey = "passkey"
        static let credentialID = "credentialId"
        static let rpID = "rpId"
        static let username = "username"
        static let userDisplayName = "userDisplayName"
        static let userHandle = "userHandle"
        static let key = "key"
        static let extensions = "fido2Extensions"
        static let hmacCredentials = "hmacCredentials"
        /// The name in drafts, and still in the example of the specification's appendix A: one secret.
        static let draftHMACSecret = "hmacSecret"
        static let algorithm = "algorithm"
        static let withUV = "credWithUV"
        static let withoutUV = "credWithoutUV"
        static let credBlob = "credBlob"
        static let largeBlob = "largeBlob"
        static let uncompressedSize = "uncompressedSize"
        static let data = "data"
        static let payments = "payments"
    }
}
