package import CTAP
internal import Cryptography
package import PasskeyAuthenticator

// Silent probes: sign-ins with the option `up` false. A phone has none: it would show each to its user (HT-CTAP-13).
// Which of its passkeys are there is known only of those that were used here.

extension PhoneKey {
    /// Answers a probe.
    ///
    /// - A program of this machine (OpenSSH, pam-u2f) is answered by the list of passkeys used here. It names one key,
    ///   and asks each security key for it; one that says yes to another's key would be used in its place.
    /// - A browser's placeholder is answered with all passkeys it names. Firefox and python-fido2 send it to the one
    ///   key that their user has chosen already, and leave out of the request the passkeys that are not named; on the
    ///   phone there may be any of them.
    /// - Any other is a sign-in of a browser, which Chromium first sends as a probe: the phone is asked now, and its
    ///   answer is kept for the request.
    func probe(
        _ request: GetAssertionRequest, _ named: [[UInt8]]
    ) async throws(CTAPFailure) -> GetAssertionResponse {
        guard !named.isEmpty else {
            // ssh-keygen -O resident: is there one already?
            throw CTAPFailure(.noCredentials, "phones do not list their passkeys without asking the user")
        }
        let known = known(named, of: request.rpID)
        if RelyingPartyKind(request.rpID) == .localProgram || named.count == 1 && known.count == 1 {
            guard let id = known.first else {
                throw CTAPFailure(.noCredentials, "the key that the program names was not made or used here")
            }
            return try placeholder(id, of: request.rpID)
        }
        if PlaceholderHash.all.contains(request.clientDataHash) {
            let ids = known + named.filter { !known.contains($0) }
            probed = ProbedList(rpID: request.rpID, ids: ids, time: now())
            dispatcher.nextAssertions = UnnamedPasskeys(rpID: request.rpID, ids: ids.dropFirst())
            return try placeholder(ids[0], of: request.rpID, count: ids.count)
        }
        do throws(CTAPFailure) {
            let response = try await assertion(request, named)
            let data = try Self.checked(response.authenticatorData, of: request.rpID, isVerified: false)
            probeAnswer = ProbeAnswer(
                rpID: request.rpID, clientDataHash: request.clientDataHash, response: response,
                isVerified: data.flags.contains(.userVerified), time: now())
            return response
        } catch {
            // Chromium now waits for a touch before it tells its user: that was the yes before the ceremony.
            if error.status == .noCredentials { unusedApproval = now() }
            throw error
        }
    }

    /// The next of several passkeys that a probe named.
    package func getNextAssertion(_ unnamed: UnnamedPasskeys) throws(CTAPFailure) -> GetAssertionResponse {
        guard let id = unnamed.ids.first else { throw CTAPFailure(.notAllowed, "there is no other assertion") }
        dispatcher.nextAssertions = UnnamedPasskeys(rpID: unnamed.rpID, ids: unnamed.ids.dropFirst())
        return try placeholder(id, of: unnamed.rpID)
    }

    /// A list of credential IDs as it was before a program left out those that the probe's answer did not name first.
    func fullAllowList(_ ids: [[UInt8]], of rpID: String) -> [[UInt8]] {
        let probed = probed
        self.probed = nil
        guard let probed, probed.rpID == rpID, now() < probed.time + Self.followUpLifetime, !ids.isEmpty,
            ids.allSatisfy(probed.ids.contains)
        else { return ids }
        return probed.ids
    }

    /// An assertion that proves nothing: nobody was present, and the signature is none.
    private func placeholder(
        _ id: [UInt8], of rpID: String, count: Int = 1
    ) throws(CTAPFailure) -> GetAssertionResponse {
        observe(.answeredProbe(rpID: rpID))
        do {
            let data = try AuthenticatorData(rpIDHash: SHA256.hash(rpID.utf8.span), flags: [], signCount: 0)
            return GetAssertionResponse(
                credential: .init(id: id), authenticatorData: data.encoded(), signature: Self.noSignature,
                numberOfCredentials: count > 1 ? UInt64(count) : nil)
        } catch {
            throw CTAPFailure(.other, "\(error)")
        }
    }

    /// The form of a signature in DER: r and s are 1.
    private static let noSignature: [UInt8] = [0x30, 0x06, 0x02, 0x01, 0x01, 0x02, 0x01, 0x01]
}

/// The phone's answer to a probe, which is the answer to the request that follows, too.
struct ProbeAnswer: Sendable {
    let rpID: String
    let clientDataHash: [UInt8]
    let response: GetAssertionResponse
    let isVerified: Bool
    let time: ContinuousClock.Instant

    /// True if the phone would answer a request with this.
    func isFor(
        _ request: GetAssertionRequest, _ allowed: [[UInt8]], at now: ContinuousClock.Instant
    ) -> Bool {
        guard let id = response.credential?.id else { return false }
        return rpID == request.rpID && clientDataHash == request.clientDataHash && allowed.contains(id)
            && (isVerified || request.options.userVerification != true) && now < time + PhoneKey.followUpLifetime
    }
}

/// The list of a probe that was answered without the phone.
struct ProbedList: Sendable {
    let rpID: String
    let ids: [[UInt8]]
    let time: ContinuousClock.Instant
}

/// The passkeys of such a list that authenticatorGetNextAssertion has still to name.
package struct UnnamedPasskeys: Sendable {
    let rpID: String
    let ids: ArraySlice<[UInt8]>
}

/// A client data hash that belongs to no sign-in: programs send one when they only want to know whether a passkey is
/// there.
enum PlaceholderHash {
    /// SHA-256 of nothing (authenticator-rs `do_credential_list_filtering_ctap2`, OpenSSH `sk_try`, Chromium
    /// `MakeCredentialTask::NextSilentRequest`), and zeros (python-fido2 `_filter_creds`).
    static let all: Set<[UInt8]> = [
        [
            0xe3, 0xb0, 0xc4, 0x42, 0x98, 0xfc, 0x1c, 0x14, 0x9a, 0xfb, 0xf4, 0xc8, 0x99, 0x6f, 0xb9, 0x24,
            0x27, 0xae, 0x41, 0xe4, 0x64, 0x9b, 0x93, 0x4c, 0xa4, 0x95, 0x99, 0x1b, 0x78, 0x52, 0xb8, 0x55,
        ],
        [UInt8](repeating: 0, count: SHA256.byteCount),
    ]
}
