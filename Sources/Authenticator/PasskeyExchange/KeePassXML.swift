internal import Cryptography

/// The XML of a KeePass 2 database, as it is in KDBX files and as programs write it by itself; passkeys are in
/// attributes of KeePassXC's (`KPEX_PASSKEY_…`), and KeePassDX's for the secret of prf.
///
/// The texts of keys that are made on the way are not wiped.
///
/// Source: KeePassXC, src/core/EntryAttributes.cpp and src/browser/PasskeyUtils.cpp; KeePassDX, PasskeyEntryFields.
package enum KeePassXML {
    /// The largest file that is read: 256 MiB.
    package static let maxByteCount = KDBX.maxContentByteCount

    enum Element {
        static let root = "KeePassFile"
        static let meta = "Meta"
        static let recycleBin = "RecycleBinUUID"
        static let group = "Group"
        static let entry = "Entry"
        static let history = "History"
        static let uuid = "UUID"
        static let times = "Times"
        static let creationTime = "CreationTime"
        static let string = "String"
        static let key = "Key"
        static let value = "Value"
        static let protected = "Protected"
        static let isTrue = "True"
    }

    enum Attribute {
        static let title = "Title"
        static let userName = "UserName"
        static let url = "URL"
        static let credentialID = "KPEX_PASSKEY_CREDENTIAL_ID"
        /// An older name of the same, which comes first where both are there.
        static let generatedUserID = "KPEX_PASSKEY_GENERATED_USER_ID"
        static let privateKey = "KPEX_PASSKEY_PRIVATE_KEY_PEM"
        static let relyingParty = "KPEX_PASSKEY_RELYING_PARTY"
        static let passkeyUserName = "KPEX_PASSKEY_USERNAME"
        static let strongboxUserName = "KPXC_PASSKEY_USERNAME"
        static let userHandle = "KPEX_PASSKEY_USER_HANDLE"
        static let backupEligible = "KPEX_PASSKEY_FLAG_BE"
        static let backupState = "KPEX_PASSKEY_FLAG_BS"
        static let prf = "KPEX_PASSKEY_PRF"

        static let all: Set<String> = [
            title, credentialID, generatedUserID, privateKey, relyingParty, passkeyUserName, strongboxUserName,
            userHandle, backupEligible, prf,
        ]
    }

    /// The seconds from the first day of year 1, from which KDBX 4 counts, to that of 1970.
    static let epoch: Int64 = 62_135_596_800

    /// The stream that protected values are encrypted with, one after the other.
    final class ProtectedStream {
        private var stream: ChaCha20

        /// Makes a stream of an inner header's key.
        ///
        /// - Throws: `CryptographyError`.
        init(key: [UInt8]) throws(CryptographyError) {
            let hash = SHA512.hash(key.span)
            let (keyEnd, nonceEnd) = (ChaCha20.keyByteCount, ChaCha20.keyByteCount + ChaCha20.nonceByteCount)
            stream = try ChaCha20(
                key: hash.span.extracting(0..<keyEnd), nonce: hash.span.extracting(keyEnd..<nonceEnd))
        }

        /// Encrypts or decrypts the next value.
        ///
        /// - Throws: ``PasskeyFormatError`` `library-failure`.
        func apply(to bytes: inout [UInt8]) throws(PasskeyFormatError) {
            do throws(CryptographyError) { try stream.apply(to: &bytes) } catch { throw PasskeyFormatError(error) }
        }
    }
}
