/// The fields that a case of an operation has, as `Vectors/schema` has them; a test holds that both agree.
struct OperationFields: Sendable {
    /// Names, and whether a case must have them.
    typealias Names = [String: Bool]

    let inputs: Names
    let outputs: Names

    /// Reads names with spaces between them; one that ends in `?` may be missing.
    private init(_ inputs: String, _ outputs: String) {
        self.inputs = Self.names(inputs)
        self.outputs = Self.names(outputs)
    }

    private static func names(_ text: String) -> Names {
        Dictionary(
            text.split(separator: " ").map { name in
                name.hasSuffix("?") ? (String(name.dropLast()), false) : (String(name), true)
            }
        ) { first, _ in first }
    }

    /// The fields of an operation; nil for one that is not known.
    static func of(_ operation: String) -> OperationFields? { all[operation] }

    static let all: [String: OperationFields] = [
        "digits.encode": OperationFields("bytes", "digits"),
        "digits.decode": OperationFields("digits", "bytes"),
        "invitation.parse": OperationFields("url", "public_key secret known_domains timestamp linking hint channels"),
        "invitation.decode": OperationFields("cbor", "public_key secret known_domains timestamp linking hint channels"),
        "invitation.encode": OperationFields(
            "public_key secret known_domains timestamp linking hint channels",
            "cbor url"),
        "domain.name": OperationFields("id", "domain"),
        "tunnel.new-url": OperationFields("domain_id tunnel_id", "url"),
        "tunnel.connect-url": OperationFields("domain_id routing_id tunnel_id", "url"),
        "tunnel.contact-url": OperationFields("domain_id contact_id", "url"),
        "contact-id.parse": OperationFields("text", "contact_id"),
        "contact-request.encode": OperationFields("link_id nonce hint", "payload header"),
        "contact-request.parse": OperationFields("header", "link_id nonce hint"),
        "routing-id.parse": OperationFields("text", "routing_id"),
        "key.derive": OperationFields("secret salt purpose length", "output"),
        "key.expand-p256": OperationFields("seed info", "private_key public_key"),
        "root.identity-key": OperationFields("root_secret", "seed private_key public_key"),
        "root.link-secret": OperationFields("root_secret contact_id link_id", "contact_secret link_secret"),
        "root.contact-key": OperationFields("root_secret", "private_key public_key"),
        "advert.seal": OperationFields("eid_key plaintext", "advert"),
        "advert.open": OperationFields("eid_key advert", "plaintext nonce routing_id domain_id domain psm"),
        "advert.open-linked": OperationFields("eid_key advert", "plaintext"),
        "advert.linked-plaintext": OperationFields("random", "plaintext"),
        "advert.parse": OperationFields("plaintext", "plaintext nonce routing_id domain_id domain"),
        "advert.suffix": OperationFields("suffix", "psm"),
        "cbor.canonical": OperationFields("cbor", "cbor"),
        "noise.handshake": OperationFields(
            "pattern psk static_private initiator_ephemeral_private responder_ephemeral_private",
            "message_1 message_2 handshake_hash client_to_authenticator_key authenticator_to_client_key"),
        "noise.respond": OperationFields(
            "pattern psk static_public? static_private? ephemeral_private message_1",
            "message_2 handshake_hash client_to_authenticator_key authenticator_to_client_key"),
        "noise.finish": OperationFields(
            "pattern psk static_public? static_private? ephemeral_private message_2",
            "handshake_hash client_to_authenticator_key authenticator_to_client_key"),
        "transport.pad": OperationFields("message", "padded"),
        "transport.unpad": OperationFields("padded", "message"),
        "transport.seal": OperationFields("key counter message", "frame"),
        "transport.open": OperationFields("key counter frame", "message"),
        "transport.sequence": OperationFields("key frames", "messages"),
        "transport.seal-old": OperationFields("key counter message", "frame"),
        "transport.open-old": OperationFields("key counter frame", "message"),
        "message.decode": OperationFields("plaintext", "type payload"),
        "first-message.parse": OperationFields("plaintext", "revision features get_info has_linking"),
        "first-message.encode": OperationFields("get_info features", "plaintext"),
        "revision-0.unpad": OperationFields("plaintext", "cbor"),
        "update.parse": OperationFields("payload", "has_linking"),
        "update.encode": OperationFields("linking", "plaintext"),
        "linking.encode": OperationFields(
            "contact_id link_id link_secret identity_private name client_public handshake_hash",
            "signature map update"),
        "linking.verify": OperationFields(
            "map static_private handshake_hash",
            "contact_id link_id link_secret public_key name"),
        "session.authenticator": OperationFields(
            "url domain_id routing_id advert_nonce ephemeral_private message_1 root_secret? contact_id? link_id? "
                + "name? frames",
            "tunnel_id eid_key advert psk message_2 handshake_hash client_to_authenticator_key "
                + "authenticator_to_client_key results"),
        "session.client": OperationFields(
            "static_private secret advert ephemeral_private message_2 linking? frames",
            "tunnel_id eid_key plaintext psk message_1 handshake_hash client_to_authenticator_key "
                + "authenticator_to_client_key linking? link? results"),
        "session.linked-authenticator": OperationFields(
            "root_secret contact_id payload advert_random ephemeral_private message_1 frames",
            "link_secret identity_private eid_key plaintext advert psk message_2 handshake_hash "
                + "client_to_authenticator_key authenticator_to_client_key results"),
        "session.linked-client": OperationFields(
            "link_id link_secret authenticator_public nonce hint advert ephemeral_private message_2 linking? "
                + "frames",
            "payload eid_key plaintext psk message_1 handshake_hash client_to_authenticator_key "
                + "authenticator_to_client_key linking? results"),
        "l2cap.split": OperationFields("buffer", "messages rest"),
        "l2cap.receive": OperationFields("key handshake_messages pieces", "messages rest"),
        "ctaphid.fragment": OperationFields("channel command payload", "reports"),
        "ctaphid.exchange": OperationFields("channel command payload reports", "keep_alives response error"),
        "ctaphid.initialization": OperationFields(
            "payload", "nonce channel protocol_version device_version capabilities"),
        "ctaphid.descriptor": OperationFields("descriptor", "is_security_key input_bytes output_bytes"),
        "hand-over.parse": OperationFields(
            "url", "public_key secret known_domains timestamp channels session_secret tunnel_id eid_key"),
        "hand-over.code": OperationFields(
            "handshake_hash receiver_nonce sender_nonce typed_nonce", "commitment code typed_commitment"),
        "hand-over.identity": OperationFields("private_key handshake_hash", "public_key receiver_id signature"),
        "hand-over.digest": OperationFields("credential_id", "digest"),
        "hand-over.decode": OperationFields("plaintext", "type plaintext"),
        "hand-over.session": OperationFields(
            "static_private secret advert_plaintext initiator_ephemeral_private responder_ephemeral_private messages",
            "message_1 message_2 handshake_hash frames code"),
        "ctaphid.device": OperationFields("can_wink device_version max_waiting? steps", "results"),
    ]
}
