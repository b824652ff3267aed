internal import CTAP
internal import Cryptography
internal import Encodings
package import PasskeyAuthenticator

extension CXF {
    /// The exporting program, as a relying party identifier (section 3.1). It has no domain of its own, and this one is
    /// nobody's (RFC 6761).
    private static let exporterRPID = "hybrid.invalid"
    private static let exporterDisplayName = "hybrid"
    /// The length of the IDs of accounts and items: 16 bytes, of at most 64.
    private static let idByteCount = 16

    /// A file with passkeys, each an item of its own, of one account.
    ///
    /// Passkeys that are not eligible for backup are left out. What the format has no place for is told.
    ///
    /// - Parameters:
    ///   - credentials: the passkeys.
    ///   - time: the time of the export, in seconds since 1970.
    /// - Throws: ``PasskeyFormatError`` `library-failure`.
    package static func encode(
        _ credentials: [Credential], at time: Int64
    ) throws(PasskeyFormatError) -> PasskeyExport {
        var (items, records): ([JSONValue], [PasskeyRecord]) = ([], [])
        do throws(CryptographyError) {
            for credential in credentials {
                guard credential.isBackupEligible else {
                    records.append(PasskeyRecord(credential, leftOut: .notBackupEligible))
                    continue
                }
                items.append(try item(credential))
                records.append(PasskeyRecord(written: credential, losses(credential)))
            }
            let account: JSONValue = [
                Name.id: .string(Base64URL.encode(randomBytes(count: idByteCount))), Name.username: "",
                Name.email: "", Name.collections: [], Name.items: .array(items),
            ]
            let header: JSONValue = [
                Name.version: [Name.major: .integer(version.major), Name.minor: .integer(version.minor)],
                Name.exporterRPID: .string(exporterRPID), Name.exporterDisplayName: .string(exporterDisplayName),
                Name.timestamp: .integer(max(time, 0)), Name.accounts: [account],
            ]
            return PasskeyExport(bytes: Array(header.text.utf8), records: records)
        } catch {
            throw PasskeyFormatError(error)
        }
    }

    static func losses(_ credential: Credential) -> [PasskeyLoss] {
        var losses: [PasskeyLoss] = []
        if credential.protection != .verificationOptional { losses.append(.protection) }
        if !credential.isDiscoverable { losses.append(.nonDiscoverable) }
        return losses
    }

    private static func item(_ credential: Credential) throws(CryptographyError) -> JSONValue {
        var members: [JSONValue.Member] = [
            // Always the same, so that two exports can be told to have the same passkey.
            .init(Name.id, .string(Base64URL.encode(SHA256.hash(credential.id.span).prefix(idByteCount))))
        ]
        if let created = credential.created, created >= 0 { members.append(.init(Name.creationAt, .integer(created))) }
        members += [
            .init(Name.title, .string(credential.rpName ?? credential.rpID)),
            .init(Name.scope, [Name.urls: [.string("https://" + credential.rpID)], Name.androidApps: []]),
            .init(Name.credentials, [try passkey(credential)]),
        ]
        return .object(members)
    }

    private static func passkey(_ credential: Credential) throws(CryptographyError) -> JSONValue {
        var members: [JSONValue.Member] = [
            .init(Name.type, .string(Name.passkey)),
            .init(Name.credentialID, .string(Base64URL.encode(credential.id))),
            .init(Name.rpID, .string(credential.rpID)), .init(Name.username, .string(credential.userName ?? "")),
            .init(Name.userDisplayName, .string(credential.userDisplayName ?? "")),
            .init(Name.userHandle, .string(Base64URL.encode(credential.userHandle))),
            .init(Name.key, .string(text(try credential.key.pkcs8()))),
        ]
        var extensions: [JSONValue.Member] = []
        if let prf = credential.prf {
            extensions.append(
                .init(
                    Name.hmacCredentials,
                    [
                        Name.algorithm: .string(hmacAlgorithm), Name.withUV: .string(text(prf.bytes())),
                        Name.withoutUV: .string(text(prf.withoutVerification())),
                    ]))
        }
        if let blob = credential.largeBlob {
            extensions.append(
                .init(
                    Name.largeBlob,
                    [
                        Name.uncompressedSize: .integer(blob.originalByteCount),
                        Name.data: .string(Base64URL.encode(blob.compressed)),
                    ]))
        }
        if !extensions.isEmpty { members.append(.init(Name.extensions, .object(extensions))) }
        return .object(members)
    }

    private static func text(_ secret: borrowing SecretBytes) -> String {
        secret.span.withUnsafeBufferPointer { Base64URL.encode($0) }
    }
}
