public import CTAP
internal import Cryptography
internal import Encodings
public import HybridProtocol

/// The client of WebAuthn, as a browser is for its pages. It takes a site's options as JSON, has an authenticator
/// answer, and gives the response as JSON.
///
///     let client = try WebAuthnClient(origin: "https://example.com")
///     let phone = HybridAuthenticator(ceremony) { url in show(url) }
///     let response = try await client.create(options, with: phone)
///
/// It says which site asks, and holds the site to its RP ID; it does not verify the answer, which is for the site
/// (``RelyingParty``). Source: WebAuthn Level 3 sections 5.1.3, 5.1.4, 5.1.8 to 5.1.10. The name that a page would see
/// of an error is ``WebAuthnExceptionName/init(of:)``.
public struct WebAuthnClient: Sendable {
    /// The origin of the page, in whose name it asks.
    public var origin: String { page.text }

    private let page: Origin
    private let suffixes: PublicSuffixList?
    private let related: (any RelatedOriginsFetcher)?

    /// The times that a site may ask for, in place of shorter and longer ones: 30 seconds to 10 minutes.
    ///
    /// Source: WebAuthn Level 3 section 15.1 recommends 5 to 10 minutes; a device has to be fetched.
    public static let timeouts = Duration.seconds(30)...Duration.seconds(600)
    /// The time of a ceremony whose site asks for none: 5 minutes.
    public static let standardTimeout = Duration.seconds(300)

    /// Makes the client of a page.
    ///
    /// - Parameters:
    ///   - origin: `https://` and a host, or `http://localhost`, as in ``RelyingParty/init(id:name:origin:suffixes:)``.
    ///   - suffixes: the list of public suffixes; this machine's if nil. It is looked at where the host is below the RP
    ///     ID.
    ///   - related: gets a site's list of related origins; nil where none are taken.
    /// - Throws: ``WebAuthnClientError`` `SecurityError` for a page that may not use passkeys.
    public init(
        origin: String, suffixes: PublicSuffixList? = nil, related: (any RelatedOriginsFetcher)? = nil
    ) throws(WebAuthnClientError) {
        page = try RelyingPartyError.rethrown(Origin(origin), as: { WebAuthnClientError(.security, from: $0) })
        self.suffixes = suffixes
        self.related = related
    }

    /// Has a passkey made: `navigator.credentials.create({publicKey})`.
    ///
    /// - Parameters:
    ///   - json: `PublicKeyCredentialCreationOptionsJSON`, at most 1 MiB. Members that are not known are ignored.
    ///   - clientData: the client data; made here from the challenge and the origin otherwise.
    ///   - authenticator: the authenticator. Nothing is asked of it before the options were checked.
    ///   - answered: gets the response as soon as it is there: to end the session takes a round trip more.
    /// - Returns: `RegistrationResponseJSON`.
    /// - Throws: ``WebAuthnClientError``; the errors of the authenticator, such as `HybridTransportError`.
    public func create(
        _ json: String, clientData: ClientDataSource = .made, with authenticator: some WebAuthnAuthenticator,
        answered: @escaping @Sendable (RegistrationResponseJSON) async -> Void = { _ in }
    ) async throws -> RegistrationResponseJSON {
        let options = try CreationOptions(json)
        let id = try await relyingPartyID(options.relyingPartyID)
        let data = try ClientDataAndHash(clientData, .create, challenge: options.challenge, origin: origin)
        return try await authenticator.ask(.makeCredential, within: options.timeout) { session in
            let info = try session.info()
            let request = try options.request(id, clientDataHash: data.hash, info)
            let answer = try await session.payload(of: .makeCredential(request))
            let response = try options.response(
                reading { () throws(CTAPError) in try MakeCredentialResponse(decoding: answer.span) }, to: request,
                data, info)
            await answered(response)
            return response
        }
    }

    /// Has a user sign in: `navigator.credentials.get({publicKey})`.
    ///
    /// - Parameters:
    ///   - json: `PublicKeyCredentialRequestOptionsJSON`, at most 1 MiB. Members that are not known are ignored.
    ///   - clientData: the client data; made here from the challenge and the origin otherwise.
    ///   - authenticator: the authenticator. Nothing is asked of it before the options were checked.
    ///   - answered: gets the response as soon as it is there: to end the session takes a round trip more.
    /// - Returns: `AuthenticationResponseJSON`.
    /// - Throws: ``WebAuthnClientError``; the errors of the authenticator, such as `HybridTransportError`.
    public func get(
        _ json: String, clientData: ClientDataSource = .made, with authenticator: some WebAuthnAuthenticator,
        answered: @escaping @Sendable (AuthenticationResponseJSON) async -> Void = { _ in }
    ) async throws -> AuthenticationResponseJSON {
        let options = try AssertionOptions(json)
        let id = try await relyingPartyID(options.relyingPartyID)
        let data = try ClientDataAndHash(clientData, .get, challenge: options.challenge, origin: origin)
        return try await authenticator.ask(.getAssertion, within: options.timeout) { session in
            let info = try session.info()
            let secrets = try await options.keyAgreement(info, session)
            let request = try options.request(id, clientDataHash: data.hash, info, secrets)
            let answer = try await session.payload(of: .getAssertion(request))
            let response = try options.response(
                reading { () throws(CTAPError) in try GetAssertionResponse(decoding: answer.span) }, to: request, data,
                secrets)
            await answered(response)
            return response
        }
    }

    /// Asks for a digital credential, or has one accepted: `navigator.credentials.get({digital})`, and `create`.
    ///
    /// - Parameters:
    ///   - json: the object `digital`, with the member `requests`: at most 1 MiB.
    ///   - kind: the direction of the credential.
    ///   - authenticator: the device with the wallet.
    /// - Returns: the credential, `{"protocol":…,"data":…}`; to verify it is for the site.
    /// - Throws: ``WebAuthnClientError``: `TypeError` for a request that is none, `NotAllowedError` for a refusal,
    ///   `UnknownError` for an answer that cannot be read; the errors of the authenticator.
    public func digitalCredential(
        _ json: String, _ kind: DigitalCredentialRequest.Kind = .presentation,
        with authenticator: some WebAuthnAuthenticator
    ) async throws -> DigitalCredential {
        let digital = try OptionsObject(parsing: json).value
        let request = try DigitalCredentialError.rethrown(
            DigitalCredentialRequest(origin: origin, kind: kind, digital: digital),
            as: { WebAuthnClientError(.type, from: $0) })
        let hint: RequestHint =
            kind == .presentation ? .digitalCredentialPresentation : .digitalCredentialIssuance
        return try await authenticator.ask(hint, within: Self.standardTimeout) { session in
            let answer = try await session.send(json: request.json)
            let read = try DigitalCredentialError.rethrown(
                DigitalCredentialAnswer(parsing: answer), as: { WebAuthnClientError(.unknown, from: $0) })
            switch read {
            case .credential(let credential): return credential
            case .refusal(let refusal):
                throw WebAuthnClientError(.notAllowed, reason: "the device answered \(refusal.rawValue)")
            }
        }
    }

    /// The RP ID that a site asks with, if its page may: WebAuthn Level 3 sections 5.1.3 step 8 and 5.1.4.1 step 7.
    private func relyingPartyID(_ given: String?) async throws(WebAuthnClientError) -> String {
        guard let given else { return page.host.text }
        do throws(RelyingPartyError) {
            _ = try await page.check(RelyingParty.domain(given), suffixes, related)
            return given
        } catch {
            throw WebAuthnClientError(.security, from: error)
        }
    }
}

/// Source of the client data of a ceremony.
public enum ClientDataSource: Sendable, Hashable {
    /// Made here, from the challenge and the client's origin, for a page in no other's frame.
    case made
    /// Made by the caller: JSON in UTF-8, for instance of a browser on another machine. It is not read here.
    case json([UInt8])
    /// Made by a caller that keeps it: the SHA-256, 32 bytes. The response has no `clientDataJSON` then; the caller
    /// adds it.
    case hash([UInt8])
}

/// The client data, as far as it is known, and its hash.
struct ClientDataAndHash: Sendable {
    let json: [UInt8]?
    let hash: [UInt8]

    init(
        _ source: ClientDataSource, _ ceremony: ClientData.Ceremony, challenge: [UInt8], origin: String
    ) throws(WebAuthnClientError) {
        switch source {
        case .made: self.init(ClientData(ceremony: ceremony, challenge: challenge, origin: origin).encoded())
        case .json(let given): self.init(given)
        case .hash(let given):
            guard given.count == SHA256.byteCount else {
                throw WebAuthnClientError(.type, reason: "the hash of client data has \(SHA256.byteCount) bytes")
            }
            self.init(json: nil, hash: given)
        }
    }

    private init(_ json: [UInt8]) { self.init(json: json, hash: SHA256.hash(json.span)) }

    private init(json: [UInt8]?, hash: [UInt8]) {
        self.json = json
        self.hash = hash
    }
}

/// Reads an answer of an authenticator.
///
/// - Throws: `UnknownError` for one that cannot be read.
func reading<Value>(_ read: () throws(CTAPError) -> Value) throws(WebAuthnClientError) -> Value {
    do throws(CTAPError) {
        return try read()
    } catch {
        throw WebAuthnClientError(
            .unknown, reason: "the authenticator's answer cannot be read: \(error)", place: error.place)
    }
}
