internal import CTAP
internal import Cryptography
internal import Encodings
internal import PasskeyAuthenticator

/// The contents of a credential store's file, unencrypted.
///
/// First one canonical CBOR map `{"format", "version", "credentials"}` with everything that is not secret, then the
/// secrets, for each credential in the same order its private key and then its prf secret, then the SHA-256 of all
/// that, against damage. The secrets stand outside the CBOR so that they are in one buffer only, which is wiped.
///
/// Version 3 adds `"replaced"`, the same for the credentials that newer ones have taken the place of, whose secrets
/// come next, and `"sealing key"`, true if 32 bytes of a key for other files come last. Version 4 adds a second prf
/// secret behind the first one, which imported credentials may have. Version 5 adds `"in transit"`, the same for the
/// credentials that were handed over and may have arrived, whose secrets come after the replaced ones', and
/// `"unconfirmed"`, the IDs of those that have arrived here and that their sender may still have in transit. Version 6
/// adds `"handed over"`, the same for the credentials that another vault has said it has, whose secrets come after
/// those in transit. A file is written as the lowest version from 2 on that suffices, since older programs refuse newer
/// ones, and so use no credential that is elsewhere. Version 1 had only ES256 keys, each a scalar of 32 bytes, and no
/// prf secrets. It is still read.
enum CredentialFile {
    /// Contents of a file.
    struct Contents {
        var list = CredentialList()
        /// A key for files that belong with the credentials; nil if there is none yet.
        var sealingKey: HeldSecret?
        /// The IDs of credentials that were moved here, which their sender may not know yet; the oldest first.
        var unconfirmed: [[UInt8]] = []
    }

    /// The most unconfirmed arrivals that are kept: with another one the oldest goes.
    static let maxUnconfirmedCount = 1024

    /// The largest file that is read: 16 MiB, more than the largest that is written.
    static let maxByteCount = 1 << 24

    private static let format: CBORValue = "hybrid credential store"
    /// The newest version, the one without credentials that were handed over, the one without those in transit, those
    /// that suffice with and without replaced credentials, and the oldest that is read.
    private static let version: UInt64 = 6
    private static let transitVersion: UInt64 = 5
    private static let settledVersion: UInt64 = 4
    private static let replacedVersion: UInt64 = 3
    private static let plainVersion: UInt64 = 2
    private static let oldestVersion: UInt64 = 1
    private static let limits = CBORLimits(maxDepth: 3, maxItems: 1 << 17, maxBytes: maxByteCount)

    private enum Key {
        static let format: CBORValue = "format"
        static let version: CBORValue = "version"
        static let credentials: CBORValue = "credentials"
        static let replaced: CBORValue = "replaced"
        static let inTransit: CBORValue = "in transit"
        static let unconfirmed: CBORValue = "unconfirmed"
        static let handedOver: CBORValue = "handed over"
        static let sealingKey: CBORValue = "sealing key"
    }

    /// The file's bytes, in one allocation.
    ///
    /// - Throws: ``CredentialStoreError`` `input-output` if libcrypto fails.
    static func encode(_ contents: Contents) throws(CredentialStoreError) -> SecretArray {
        let list = contents.list
        do throws(CryptographyError) {
            var secretByteCount = contents.sealingKey?.count ?? 0
            var (entries, replaced, inTransit): ([CBORValue], [CBORValue], [CBORValue]) = ([], [], [])
            var version = list.replaced.isEmpty && contents.sealingKey == nil ? plainVersion : replacedVersion
            for credential in list.credentials {
                let entry = try CredentialFileEntry(credential)
                if entry.hasOtherPRF { version = settledVersion }
                secretByteCount += entry.secretByteCount
                entries.append(.map(entry.map))
            }
            for old in list.replaced {
                let entry = try CredentialFileEntry(old.credential, replaced: old.replaced)
                if entry.hasOtherPRF { version = settledVersion }
                secretByteCount += entry.secretByteCount
                replaced.append(.map(entry.map))
            }
            for sent in list.inTransit {
                let entry = try CredentialFileEntry(sent)
                secretByteCount += entry.secretByteCount
                inTransit.append(.map(entry.map))
            }
            var handedOver: [CBORValue] = []
            for kept in list.handedOver {
                let entry = try CredentialFileEntry(kept)
                secretByteCount += entry.secretByteCount
                handedOver.append(.map(entry.map))
            }
            if !inTransit.isEmpty || !contents.unconfirmed.isEmpty { version = transitVersion }
            if !handedOver.isEmpty { version = self.version }
            var header: CBORMap = [
                Key.format: format, Key.version: .unsigned(version), Key.credentials: .array(entries),
            ]
            if !inTransit.isEmpty { header[Key.inTransit] = .array(inTransit) }
            if !contents.unconfirmed.isEmpty {
                header[Key.unconfirmed] = .array(contents.unconfirmed.map { .bytes($0) })
            }
            if !handedOver.isEmpty { header[Key.handedOver] = .array(handedOver) }
            if !replaced.isEmpty { header[Key.replaced] = .array(replaced) }
            if contents.sealingKey != nil { header[Key.sealingKey] = true }
            let encodedHeader = header.encoded()
            var bytes = SecretArray(capacity: encodedHeader.count + secretByteCount + SHA256.byteCount)
            bytes.bytes += encodedHeader
            let elsewhere = list.inTransit.map(\.credential) + list.handedOver.map(\.credential)
            for credential in list.credentials + list.replaced.map(\.credential) + elsewhere {
                let privateKey = try credential.key.privateKey()
                bytes.append(privateKey.span)
                guard let prf = credential.prf else { continue }
                bytes.append(prf.bytes().span)
                if prf.hasOther { bytes.append(prf.withoutVerification().span) }
            }
            if let key = contents.sealingKey { bytes.append(key.clone().span) }
            bytes.bytes += SHA256.hash(bytes.span)
            return bytes
        } catch {
            throw CredentialStoreError(.inputOutput, reason: error.description, place: error.place)
        }
    }

    /// Reads a file's bytes.
    ///
    /// - Throws: ``CredentialStoreError`` `damaged` or `newer-version`; `input-output` if libcrypto fails.
    static func decode(_ bytes: Span<UInt8>) throws(CredentialStoreError) -> Contents {
        let (header, headerByteCount) = try readHeader(bytes)
        guard let values = header[Key.credentials]?.arrayValue,
            let replacedValues = (header[Key.replaced] ?? []).arrayValue,
            let inTransitValues = (header[Key.inTransit] ?? []).arrayValue,
            let handedOverValues = (header[Key.handedOver] ?? []).arrayValue,
            let hasSealingKey = (header[Key.sealingKey] ?? false).boolValue
        else { throw damaged("it lists no credentials") }
        let unconfirmed = try unconfirmed(header)
        let found = header[Key.version]?.unsignedValue ?? 0
        guard found >= transitVersion || inTransitValues.isEmpty && unconfirmed.isEmpty,
            found >= version || handedOverValues.isEmpty
        else { throw damaged("it has credentials in transit, which its version does not support") }
        var entries: [CredentialFileEntry] = []
        var checkedByteCount = headerByteCount
        for value in values + replacedValues + inTransitValues + handedOverValues {
            guard let entry = CredentialFileEntry(value), entry.privateKeyByteCount < bytes.count else {
                throw damaged("a credential of it lacks a part")
            }
            entries.append(entry)
            checkedByteCount += entry.secretByteCount
        }
        if hasSealingKey { checkedByteCount += Vault.sealingKeyByteCount }
        guard bytes.count == checkedByteCount + SHA256.byteCount else {
            throw damaged("it has \(bytes.count) bytes where \(checkedByteCount + SHA256.byteCount) belong")
        }
        let digest = SHA256.hash(bytes.extracting(first: checkedByteCount))
        guard constantTimeEquals(digest.span, bytes.extracting(last: SHA256.byteCount)) else {
            throw damaged("its checksum does not match")
        }
        var credentials: [Credential] = []
        var replaced: [ReplacedCredential] = []
        var inTransit: [CredentialInTransit] = []
        var handedOver: [HandedOverCredential] = []
        var start = headerByteCount
        for entry in entries {
            let secrets = bytes.extracting(start..<start + entry.secretByteCount)
            start += entry.secretByteCount
            guard let credential = try self.credential(entry, secrets) else {
                throw damaged("a credential of it lacks a part")
            }
            if credentials.count < values.count {
                credentials.append(credential)
            } else if replaced.count == replacedValues.count, inTransit.count == inTransitValues.count {
                guard let (receiver, arrived) = entry.arrival else {
                    throw damaged("a credential that was handed over has no receiver")
                }
                handedOver.append(HandedOverCredential(credential, at: receiver, arrived: arrived))
            } else if replaced.count == replacedValues.count {
                guard let (receiver, since) = entry.transit else {
                    throw damaged("a credential in transit has no receiver")
                }
                inTransit.append(CredentialInTransit(credential, to: receiver, since: since))
            } else {
                guard let time = entry.replaced else { throw damaged("a replaced credential has no time") }
                replaced.append(ReplacedCredential(credential, at: time))
            }
        }
        let inUse = Set(credentials.lazy.map(\.id))
        let elsewhere = inTransit.map(\.credential.id) + handedOver.map(\.credential.id)
        guard inUse.isDisjoint(with: elsewhere) else {
            throw damaged("one of its credentials is both in use and in transit or handed over")
        }
        let key = bytes.extracting(start..<checkedByteCount)
        return Contents(
            list: CredentialList(credentials, replaced: replaced, inTransit: inTransit, handedOver: handedOver),
            sealingKey: hasSealingKey ? HeldSecret(SecretBytes(copying: key)) : nil, unconfirmed: unconfirmed)
    }

    private static func unconfirmed(_ header: CBORMap) throws(CredentialStoreError) -> [[UInt8]] {
        guard let values = (header[Key.unconfirmed] ?? []).arrayValue, values.count <= maxUnconfirmedCount else {
            throw damaged("it lists no arrivals")
        }
        var ids: [[UInt8]] = []
        for value in values {
            guard let id = value.bytesValue else { throw damaged("an arrival of it has no ID") }
            ids.append(id)
        }
        return ids
    }

    private static func credential(
        _ entry: CredentialFileEntry, _ secrets: Span<UInt8>
    ) throws(CredentialStoreError) -> Credential? {
        do throws(CryptographyError) {
            return try entry.credential(secrets)
        } catch {
            throw damaged("one of its private keys is invalid")
        }
    }

    private static func readHeader(_ bytes: Span<UInt8>) throws(CredentialStoreError) -> (CBORMap, Int) {
        let header: (value: CBORValue, byteCount: Int)
        do throws(CBORError) {
            header = try CBORValue.decodePrefix(bytes, limits: limits)
        } catch {
            throw damaged("its header cannot be read: \(error)")
        }
        guard let map = header.value.mapValue, map[Key.format] == format, let found = map[Key.version]?.unsignedValue,
            found >= oldestVersion
        else { throw damaged("it is not a credential store") }
        guard found <= version else {
            throw CredentialStoreError(
                .newerVersion,
                reason: "the file has version \(found), and this program knows versions up to \(version)")
        }
        return (map, header.byteCount)
    }

    private static func damaged(_ what: String) -> CredentialStoreError {
        CredentialStoreError(.damaged, reason: "the file is damaged, or another kind of file: \(what)")
    }
}
