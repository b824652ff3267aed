// swift-format-ignore-file
// Made by tools/trace --write of the articles of HybridProtocol's documentation: change these.

extension Rule {
    /// All rules, article by article.
    package static let all: [Rule] = [
        Rule("HT-ADV-1", .must, .certain, article: "Advert",
            sources: "CR v2_handshake.cc `eid`; WR discovery.rs; SP",
            "The authenticator MUST set the first byte of the plaintext to zero."),
        Rule("HT-ADV-2", .must, .certain, article: "Advert",
            sources: "CR v2_authenticator.cc; WR discovery.rs",
            """
            The authenticator MUST put 10 random bytes into the plaintext as a nonce, new ones for each session.
            """),
        Rule("HT-ADV-3", .must, .certain, article: "Advert",
            sources: "CR v2_handshake.cc `eid`; WR discovery.rs; LW",
            """
            The authenticator MUST put the routing ID that the tunnel service gave it at offset 11.
            """),
        Rule("HT-ADV-4", .must, .certain, article: "Advert",
            sources: "CR v2_handshake.cc `eid`; WR discovery.rs; LW; IJB",
            """
            The authenticator MUST put the number of its tunnel domain at offset 14, in two bytes, \
            little-endian.
            """),
        Rule("HT-ADV-5", .must, .certain, article: "Advert",
            sources: "WR discovery.rs tests; CR v2_handshake.h",
            "An implementation MUST refuse a plaintext that does not have 16 bytes."),
        Rule("HT-ADV-6", .must, .certain, article: "Advert",
            sources: "CR v2_handshake.cc `eid::Encrypt`; WR discovery.rs; LW crypto.rs",
            """
            The authenticator MUST encrypt the plaintext as one block of AES-256 under the first 32 bytes of the \
            EID key.
            """),
        Rule("HT-ADV-7", .must, .certain, article: "Advert",
            sources: "CR v2_handshake.cc `eid::Encrypt`; WR discovery.rs; LW crypto.rs",
            """
            The authenticator MUST append the first 4 bytes of HMAC-SHA-256 over the ciphertext, under the last \
            32 bytes of the EID key.
            """),
        Rule("HT-ADV-8", .must, .certain, article: "Advert",
            sources: "CR v2_discovery.cc `GetDiscoveryData`; WR discovery.rs",
            "The client MUST ignore service data of fewer than 20 bytes."),
        Rule("HT-ADV-9", .must, .certain, article: "Advert",
            sources: "CR v2_handshake.cc `eid::Decrypt`; WR discovery.rs; LW crypto.rs",
            """
            The client MUST ignore an advert whose tag is not that of its ciphertext, and not use what it \
            decrypts to.
            """),
        Rule("HT-ADV-10", .should, .certain, article: "Advert",
            sources: "CR v2_handshake.cc `eid::Decrypt`",
            "The client SHOULD compare the tag in constant time, and before it decrypts."),
        Rule("HT-ADV-11", .mustNot, .certain, article: "Advert",
            sources: "CR v2_handshake.cc `eid::Decrypt`; WR discovery.rs tests; SP",
            """
            The client MUST NOT use an advert whose plaintext does not begin with a zero byte.
            """),
        Rule("HT-ADV-12", .mustNot, .certain, article: "Advert",
            sources: "CR v2_handshake.cc `eid::Decrypt`; WR discovery.rs tests",
            """
            The client MUST NOT use an advert for its QR code that names a tunnel domain of 2 to 255.
            """),
        Rule("HT-ADV-13", .must, .certain, article: "Advert",
            sources: "CR v2_discovery.cc; WR discovery.rs",
            """
            The client MUST go on scanning after adverts that are not its own, however many there are.
            """),
        Rule("HT-ADV-14", .must, .certain, article: "Advert",
            sources: "CR v2_discovery.cc; WR discovery.rs `wait_for_matching_response`",
            """
            The client MUST take the first advert that opens, and go on with that session if further ones come.
            """),
        Rule("HT-ADV-15", .must, .implied, article: "Advert",
            sources: "CR; WR",
            "The client MUST accept an advert at any time until it stops showing the QR code."),
        Rule("HT-ADV-16", .must, .certain, article: "Advert",
            sources: "CR fido_ble_uuids.cc; WR btle.rs; MG HybridBleAdvertiser.kt",
            "The authenticator MUST send its advert as service data of the UUID FFF9."),
        Rule("HT-ADV-17", .must, .certain, article: "Advert",
            sources: "CR fido_ble_uuids.cc; WR btle.rs; LW; MG HybridClientScan.kt",
            "The client MUST receive adverts of the UUID FFF9."),
        Rule("HT-ADV-18", .must, .certain, article: "Advert",
            sources: "CR fido_ble_uuids.cc; WR btle.rs",
            "The client MUST receive adverts of Google's older UUID FDE2 too."),
        Rule("HT-ADV-19", .must, .implied, article: "Advert",
            sources: "CR v2_discovery.cc; WR btle.rs",
            "The client MUST ignore service data of other UUIDs."),
        Rule("HT-ADV-20", .must, .certain, article: "Advert",
            sources: "CR v2_discovery.cc `GetDiscoveryData`; WR discovery.rs; JO",
            """
            The authenticator MUST send 20 bytes of service data and no suffix to a client that does not offer \
            the BLE channel.
            """),
        Rule("HT-ADV-21", .mustNot, .implied, article: "Advert",
            sources: "CR v2_authenticator.cc; WR tunnel.rs",
            """
            The authenticator MUST NOT advertise before the tunnel, or the BLE channel, that its advert names is \
            open.
            """),
        Rule("HT-ADV-22", .must, .implied, article: "Advert",
            sources: "CR v2_authenticator.cc; MG HybridBleAdvertiser.kt",
            """
            The authenticator MUST repeat the same advert, unchanged, until the client has connected.
            """),
        Rule("HT-ADV-23", .should, .certain, article: "Advert",
            sources: "CR v2_authenticator.cc; MG HybridBleAdvertiser.kt",
            """
            The authenticator SHOULD stop advertising when the client has connected, or the session is over.
            """),
        Rule("HT-ADV-24", .should, .disputed, article: "Advert",
            sources: "WR btle.rs; CL BleUtils.kt",
            """
            The authenticator SHOULD send its advert as one that takes no connections, unless it offers the BLE \
            channel.
            """),
        Rule("HT-ADV-25", .must, .secondHand, article: "Advert",
            sources: "IJ23; LW advertisement.rs; TD; UC l2cap-channel.md",
            """
            The client MUST open an advert by its first 20 bytes alone, whatever follows them.
            """),
        Rule("HT-ADV-26", .must, .secondHand, article: "Advert",
            sources: "IJ23; LW advertisement.rs; UC l2cap-channel.md; FX",
            "The authenticator MUST write the suffix as a CBOR map."),
        Rule("HT-ADV-27", .should, .disputed, article: "Advert",
            sources: "LW advertisement.rs; UC l2cap-channel.md; IJ23; FX",
            """
            The authenticator SHOULD put the PSM of its BLE channel under key 1 of the suffix.
            """),
        Rule("HT-ADV-28", .should, .disputed, article: "Advert",
            sources: "LW advertisement.rs; UC l2cap-channel.md; FX",
            """
            The client SHOULD take the value of key 1, an integer of 1 to 65535, for the PSM of the BLE channel.
            """),
        Rule("HT-ADV-29", .must, .secondHand, article: "Advert",
            sources: "LW advertisement.rs; TD",
            "The client MUST ignore a suffix that is not a CBOR map, and keep the advert."),
        Rule("HT-ADV-30", .mustNot, .secondHand, article: "Advert",
            sources: "LW advertisement.rs; UC l2cap-channel.md",
            """
            The client MUST NOT use a BLE channel whose PSM is missing, not an unsigned integer, or above 65535.
            """),
        Rule("HT-ADV-31", .should, .policy, article: "Advert",
            sources: "this project",
            "The client SHOULD take a PSM of 0 for none."),
        Rule("HT-ADV-32", .must, .secondHand, article: "Advert",
            sources: "LW advertisement.rs; IJ23",
            "The client MUST ignore channels in the suffix that it does not know."),
        Rule("HT-ADV-33", .should, .disputed, article: "Advert",
            sources: "FX; LW advertisement.rs",
            "The client SHOULD ignore a suffix of the form `{0: channel}`."),
        Rule("HT-ADV-34", .must, .secondHand, article: "Advert",
            sources: "IJ23; LW connection_stages.rs",
            """
            The client MUST be able to use the tunnel of an advert that offers a BLE channel.
            """),
        Rule("HT-ADV-35", .must, .certain, article: "Advert",
            sources: "CR v2_handshake.cc `eid::Decrypt`; WR discovery.rs",
            """
            The client MUST accept an advert that keeps these rules, whatever nonce and routing ID it holds.
            """),
        Rule("HT-ADV-36", .mustNot, .implied, article: "Advert",
            sources: "CR fido_tunnel_device.cc; WR tunnel.rs",
            "The client MUST NOT join a tunnel before it has opened the advert that names it."),
        Rule("HT-ADV-37", .may, .policy, article: "Advert",
            sources: "this project",
            """
            The client MAY end the attempt when an advert has the right tag and breaks another of these rules.
            """),
        Rule("HT-ADV-38", .should, .policy, article: "Advert",
            sources: "this project",
            "The client SHOULD tell its user when a second device answers the same QR code."),
        Rule("HT-CTAP-1", .must, .certain, article: "CTAPInside",
            sources: "CTAP 2.2 section 6; CR v2_authenticator.cc; WR tunnel.rs",
            """
            A client MUST send a CTAP request as its command byte, followed by the parameters as one CBOR map if \
            it has any.
            """),
        Rule("HT-CTAP-2", .must, .certain, article: "CTAPInside",
            sources: "CTAP 2.2 section 6; CR v2_authenticator.cc; WR tunnel.rs",
            """
            An authenticator MUST answer a CTAP request with a status byte, followed by one CBOR map if the \
            status is 0 and there is a result.
            """),
        Rule("HT-CTAP-3", .must, .implied, article: "CTAPInside",
            sources: "CTAP 2.2 section 6; CR v2_authenticator.cc",
            "An authenticator MUST refuse a CTAP message that has no command byte."),
        Rule("HT-CTAP-4", .must, .certain, article: "CTAPInside",
            sources: "CTAP 2.2 section 8; CR components/cbor/reader.cc; LP3",
            "A sender MUST write CTAP requests and responses in CTAP2 canonical CBOR."),
        Rule("HT-CTAP-5", .should, .secondHand, article: "CTAPInside",
            sources: "CR v2_authenticator.cc; WR mod.rs",
            """
            A client SHOULD send no command but authenticatorMakeCredential and authenticatorGetAssertion.
            """),
        Rule("HT-CTAP-6", .should, .secondHand, article: "CTAPInside",
            sources: "WR mod.rs; JO client/README.md",
            "A client SHOULD plan one operation for each session."),
        Rule("HT-CTAP-7", .may, .disputed, article: "CTAPInside",
            sources: "WR mod.rs; JO client/README.md; this project",
            "An authenticator MAY answer further requests after its first answer."),
        Rule("HT-CTAP-8", .should, .secondHand, article: "CTAPInside",
            sources: "CR v2_authenticator.cc; IJB",
            """
            An authenticator SHOULD let the user choose among several passkeys and return one assertion.
            """),
        Rule("HT-CTAP-9", .should, .secondHand, article: "CTAPInside",
            sources: "LP3; TD; CU",
            "A client SHOULD set the option `uv` to true in each request."),
        Rule("HT-CTAP-10", .shouldNot, .secondHand, article: "CTAPInside",
            sources: "CR v2_authenticator.cc; WR mod.rs",
            "A client SHOULD NOT send `pinUvAuthParam`."),
        Rule("HT-CTAP-11", .should, .secondHand, article: "CTAPInside",
            sources: "CR v2_authenticator.cc; IJB",
            """
            An authenticator SHOULD verify the user in each operation, also where the request does not ask for \
            it.
            """),
        Rule("HT-CTAP-12", .mustNot, .certain, article: "CTAPInside",
            sources: "CTAP 2.2 section 6.1.2; WebAuthn Level 3 section 6.1",
            """
            An authenticator MUST NOT set the flag UV unless it has verified the user in this operation.
            """),
        Rule("HT-CTAP-13", .shouldNot, .secondHand, article: "CTAPInside",
            sources: "CR `FidoDevice::NoSilentRequests`, make_credential_task.cc",
            "A client SHOULD NOT send a request with the option `up` false."),
        Rule("HT-CTAP-14", .should, .secondHand, article: "CTAPInside",
            sources: "CR make_credential_task.cc, get_assertion_task.cc",
            "A client SHOULD send the whole allow list or exclude list in one request."),
        Rule("HT-CTAP-15", .should, .policy, article: "CTAPInside",
            sources: "this project; CR v2_authenticator.cc; CTAP 2.2 section 6.2.2",
            """
            An authenticator SHOULD ask the user about each request, also one with `up` false, unless an allow \
            list names the passkeys.
            """),
        Rule("HT-CTAP-16", .shouldNot, .secondHand, article: "CTAPInside",
            sources: "JO client/README.md; CR fido_tunnel_device.cc",
            """
            A client SHOULD NOT send authenticatorGetInfo, since the first message has its response.
            """),
        Rule("HT-CTAP-17", .may, .disputed, article: "CTAPInside",
            sources: "CR v2_authenticator.cc; JO client/README.md",
            "An authenticator MAY answer authenticatorGetInfo."),
        Rule("HT-CTAP-18", .must, .certain, article: "CTAPInside",
            sources: "CTAP 2.2 section 6.4; CR device_response_converter.cc; python-fido2 2 `Info`",
            "An authenticator MUST name at least one version of FIDO2 in its getInfo."),
        Rule("HT-CTAP-19", .should, .policy, article: "CTAPInside",
            sources: "this project",
            """
            A client SHOULD accept as getInfo any CBOR map, and pass over fields that are unknown or of an \
            unexpected shape.
            """),
        Rule("HT-CTAP-20", .should, .secondHand, article: "CTAPInside",
            sources: "CR v2_authenticator.cc; IJB; MG",
            """
            An authenticator SHOULD name the transports `hybrid` and `internal` in its getInfo.
            """),
        Rule("HT-CTAP-21", .should, .secondHand, article: "CTAPInside",
            sources: "CR v2_authenticator.cc; MG",
            "A client SHOULD treat the transport `cable` as `hybrid`."),
        Rule("HT-CTAP-22", .should, .secondHand, article: "CTAPInside",
            sources: "CR v2_authenticator.cc; CU",
            "A client SHOULD send `rp.name`, `user.name` and `user.displayName`."),
        Rule("HT-CTAP-23", .should, .secondHand, article: "CTAPInside",
            sources: "CR v2_authenticator.cc",
            "A client SHOULD offer the algorithm ES256 (−7)."),
        Rule("HT-CTAP-24", .should, .secondHand, article: "CTAPInside",
            sources: "CU; TD",
            "A client SHOULD leave the member `transports` out of credential descriptors."),
        Rule("HT-CTAP-25", .mustNot, .certain, article: "CTAPInside",
            sources: "CTAP 2.2 section 6.2.2; CR get_assertion_task.cc",
            """
            An authenticator MUST NOT answer with `userSelected` a request that had an allow list.
            """),
        Rule("HT-CTAP-26", .should, .secondHand, article: "CTAPInside",
            sources: "CR get_assertion_task.cc",
            """
            A client SHOULD refuse an answer with `userSelected` to a request that had an allow list.
            """),
        Rule("HT-CTAP-27", .must, .certain, article: "CTAPInside",
            sources: "WebAuthn Level 3 section 7.2; CR get_assertion_task.cc",
            """
            A client MUST refuse an assertion of a credential that is not in the allow list it has sent.
            """),
        Rule("HT-CTAP-28", .should, .policy, article: "CTAPInside",
            sources: "this project",
            """
            A client SHOULD send the extension `prf` only to an authenticator whose getInfo lists it.
            """),
        Rule("HT-CTAP-29", .must, .certain, article: "CTAPInside",
            sources: "WebAuthn Level 3 section 10.1.4; CR `PRFInput::ToCBOR`",
            """
            A client MUST send as a value of `prf` the SHA-256 of `WebAuthn PRF`, a zero byte and the page's \
            input: 32 bytes.
            """),
        Rule("HT-CTAP-30", .should, .policy, article: "CTAPInside",
            sources: "this project",
            "An authenticator SHOULD refuse a value of `prf` that has not 32 bytes."),
        Rule("HT-CTAP-31", .must, .certain, article: "CTAPInside",
            sources: "CR v2_authenticator.cc; LW PR 267",
            """
            An authenticator MUST return the values of `prf` as an unsigned extension output: key 6 of \
            makeCredential, key 8 of getAssertion.
            """),
        Rule("HT-CTAP-32", .must, .certain, article: "CTAPInside",
            sources: "WebAuthn Level 3 section 10.1.4",
            """
            An authenticator MUST use the values of `evalByCredential` that name its credential in place of \
            those of `eval`.
            """),
        Rule("HT-CTAP-33", .should, .policy, article: "CTAPInside",
            sources: "this project",
            """
            An authenticator SHOULD compute values of `prf` only in an operation in which it has verified the \
            user.
            """),
        Rule("HT-CTAP-34", .should, .secondHand, article: "CTAPInside",
            sources: "CR v2_authenticator.cc",
            "A client SHOULD allow for an answer the time that a person needs."),
        Rule("HT-CTAP-35", .should, .secondHand, article: "CTAPInside",
            sources: "CR fido_tunnel_device.cc",
            "A client SHOULD give up a request by closing its channel."),
        Rule("HT-CTAP-36", .should, .secondHand, article: "CTAPInside",
            sources: "CU; CTAP 2.2 section 6.1.2",
            """
            An authenticator SHOULD answer CTAP2_ERR_OPERATION_DENIED (`27`) when the user declines.
            """),
        Rule("HT-CTAP-37", .should, .policy, article: "CTAPInside",
            sources: "this project; CU",
            """
            A client SHOULD report a channel that closes during a request as declined or cancelled.
            """),
        Rule("HT-CTAP-38", .must, .certain, article: "CTAPInside",
            sources: "CTAP 2.1 section 8.2; CR v2_authenticator.cc; WR framing.rs",
            "An authenticator MUST refuse a command that it does not know."),
        Rule("HT-CTAP-39", .should, .secondHand, article: "CTAPInside",
            sources: "CR v2_authenticator.cc",
            """
            An authenticator SHOULD refuse authenticatorReset and the other commands that change its settings.
            """),
        Rule("HT-CTAP-40", .must, .certain, article: "CTAPInside",
            sources: "CTAP 2.1 section 8.1; CR v2_authenticator.cc; WR framing.rs",
            "An authenticator MUST refuse a request whose parameters are not one CBOR map."),
        Rule("HT-CTAP-41", .must, .certain, article: "CTAPInside",
            sources: "CTAP 2.1 sections 6.1, 6.2 and 8.2; CR v2_authenticator.cc",
            "An authenticator MUST refuse a request that lacks a required parameter."),
        Rule("HT-CTAP-42", .must, .certain, article: "CTAPInside",
            sources: "CTAP 2.1 section 8.2; CR v2_authenticator.cc",
            """
            An authenticator MUST refuse a request that has a parameter of another type than CTAP gives it.
            """),
        Rule("HT-CTAP-43", .must, .certain, article: "CTAPInside",
            sources: "CTAP 2.1 section 6.1.2",
            """
            An authenticator MUST refuse makeCredential if it supports none of the algorithms that the request \
            lists.
            """),
        Rule("HT-CTAP-44", .must, .certain, article: "CTAPInside",
            sources: "CTAP 2.1 section 6.2.2",
            """
            An authenticator MUST answer getAssertion with an error if it has no passkey for the request.
            """),
        Rule("HT-CTAP-45", .must, .certain, article: "CTAPInside",
            sources: "WebAuthn Level 2 section 6.1",
            """
            An authenticator MUST begin its authenticator data with the SHA-256 of the request's RP ID.
            """),
        Rule("HT-CTAP-46", .must, .certain, article: "CTAPInside",
            sources: "CTAP 2.1 section 8.2; CR fido_tunnel_device.cc; LW protocol.rs",
            "A client MUST take an answer with another status than 0 for a failure."),
        Rule("HT-CTAP-47", .must, .certain, article: "CTAPInside",
            sources: "CTAP 2.1 sections 6.1 and 6.2; CR fido_tunnel_device.cc",
            """
            A client MUST refuse an answer of status 0 whose result is missing, or is not the result of its \
            request.
            """),
        Rule("HT-CTAP-48", .should, .secondHand, article: "CTAPInside",
            sources: "WR mod.rs; JO client/README.md",
            """
            An authenticator SHOULD serve no further request in a session after a makeCredential or getAssertion \
            that succeeded.
            """),
        Rule("HT-CTAP-49", .should, .policy, article: "CTAPInside",
            sources: "this project",
            """
            An authenticator SHOULD bound the number of requests in a session that find no passkey, or that it \
            answers without asking the user.
            """),
        Rule("HT-CTAP-50", .should, .policy, article: "CTAPInside",
            sources: "this project; CTAP 2.2 section 6.4",
            """
            An authenticator SHOULD announce the option `uv` in its getInfo only where it is able to verify the \
            user.
            """),
        Rule("HT-CTAP-51", .should, .policy, article: "CTAPInside",
            sources: "this project; CTAP 2.2 section 8.2",
            """
            An authenticator SHOULD answer CTAP2_ERR_REQUEST_TOO_LARGE (`39`), without asking the user, to a \
            request longer than it takes, or of more items.
            """),
        Rule("HT-CTAP-52", .should, .implied, article: "CTAPInside",
            sources: "CTAP 2.2 sections 6.4 and 7.2",
            """
            An authenticator that verifies the user in each operation SHOULD say so in its getInfo: option \
            `alwaysUv` true, and `makeCredUvNotRqd` not.
            """),
        Rule("HT-CTAP-53", .must, .certain, article: "CTAPInside",
            sources: "CTAP 2.2 sections 6.1.2, 6.2.2 and 7.2",
            """
            An authenticator that says `alwaysUv` MUST verify the user in each operation with user presence, \
            also where the request does not ask for it.
            """),
        Rule("HT-CTAP-54", .must, .certain, article: "CTAPInside",
            sources: "CTAP 2.2 section 6.2.2",
            """
            An authenticator MUST set neither UP nor UV in an answer for which it has asked nobody, and both \
            flags as it happened where it has asked.
            """),
        Rule("HT-CTAP-55", .should, .implied, article: "CTAPInside",
            sources: "CTAP 2.2 sections 6.4 and 9",
            """
            An authenticator SHOULD name only those versions in its getInfo whose mandatory features it has.
            """),
        Rule("HT-CTAP-56", .must, .certain, article: "CTAPInside",
            sources: "CTAP 2.2 sections 6.1.2 step 11.2 and 6.2.2 step 6.2",
            """
            An authenticator MUST answer CTAP2_ERR_OPERATION_DENIED (`27`) when the verification failed, and \
            CTAP2_ERR_PIN_BLOCKED (`32`) when no attempt is left.
            """),
        Rule("HT-CTAP-57", .should, .implied, article: "CTAPInside",
            sources: "CTAP 2.2 section 6.2.2 steps 6 and 7; CR v2_authenticator.cc",
            """
            An authenticator SHOULD ask the user before it answers that it has no passkey for a request.
            """),
        Rule("HT-CTAP-58", .should, .implied, article: "CTAPInside",
            sources: "WebAuthn Level 3 section 10.1.4",
            """
            An authenticator that offers `prf` and `hmac-secret` SHOULD give the same values for the same salts \
            of a verified user.
            """),
        Rule("HT-CBOR-1", .must, .certain, article: "CanonicalCBOR",
            sources: "CTAP 2.2 section 8; CR components/cbor/reader.cc; python-fido2 2 `Ctap2`",
            """
            An encoder MUST write every integer and every length in the shortest form that holds it.
            """),
        Rule("HT-CBOR-2", .must, .certain, article: "CanonicalCBOR",
            sources: "CTAP 2.2 section 8; CR components/cbor/reader.cc; python-fido2 2 `Ctap2`",
            "An encoder MUST write every string, array and map with a definite length."),
        Rule("HT-CBOR-3", .must, .certain, article: "CanonicalCBOR",
            sources: "CTAP 2.2 section 8; CR components/cbor/reader.cc; python-fido2 2 `Ctap2`; LP3",
            """
            An encoder MUST sort the keys of a map by major type, then by the length of their encoding, then by \
            its bytes.
            """),
        Rule("HT-CBOR-4", .mustNot, .certain, article: "CanonicalCBOR",
            sources: "RFC 8949 section 5.6; CR components/cbor/reader.cc; python-fido2 2 `Ctap2`",
            "An encoder MUST NOT write the same key twice in a map."),
        Rule("HT-CBOR-5", .mustNot, .certain, article: "CanonicalCBOR",
            sources: "CTAP 2.2 section 8; CR components/cbor/reader.cc; python-fido2 2 `cbor`",
            "An encoder MUST NOT write tags."),
        Rule("HT-CBOR-6", .mustNot, .certain, article: "CanonicalCBOR",
            sources: "CR components/cbor/reader.cc; python-fido2 2 `cbor`",
            """
            An encoder MUST NOT write floating-point numbers, `undefined` or simple values other than `false`, \
            `true` and `null`.
            """),
        Rule("HT-CBOR-7", .must, .certain, article: "CanonicalCBOR",
            sources: "CTAP 2.2 section 8; CR components/cbor/reader.cc",
            """
            A decoder MUST accept integers, strings, arrays, maps, `false`, `true` and `null` in canonical form.
            """),
        Rule("HT-CBOR-8", .should, .disputed, article: "CanonicalCBOR",
            sources: "RFC 8949 section 3.1; CR components/cbor/reader.cc; this project",
            "A decoder SHOULD accept every integer of 64 bits, unsigned and negative."),
        Rule("HT-CBOR-9", .must, .certain, article: "CanonicalCBOR",
            sources: "CR components/cbor/reader.cc; python-fido2 2 `Ctap2`",
            "A decoder MUST refuse an integer or a length that is not in its shortest form."),
        Rule("HT-CBOR-10", .must, .certain, article: "CanonicalCBOR",
            sources: "CR components/cbor/reader.cc; python-fido2 2 `cbor`",
            "A decoder MUST refuse a string, array or map of indefinite length."),
        Rule("HT-CBOR-11", .must, .certain, article: "CanonicalCBOR",
            sources: "CR components/cbor/reader.cc; python-fido2 2 `Ctap2`; LW; LP3",
            "A decoder MUST refuse a map whose keys are out of order."),
        Rule("HT-CBOR-12", .must, .certain, article: "CanonicalCBOR",
            sources: "CR components/cbor/reader.cc; python-fido2 2 `Ctap2`",
            "A decoder MUST refuse a map that has a key twice."),
        Rule("HT-CBOR-13", .must, .certain, article: "CanonicalCBOR",
            sources: "CR components/cbor/reader.cc; python-fido2 2 `cbor`",
            """
            A decoder MUST refuse tags, floating-point numbers, `undefined` and simple values other than \
            `false`, `true` and `null`.
            """),
        Rule("HT-CBOR-14", .must, .certain, article: "CanonicalCBOR",
            sources: "RFC 8949 appendix C",
            "A decoder MUST refuse bytes that are not well-formed CBOR."),
        Rule("HT-CBOR-15", .must, .certain, article: "CanonicalCBOR",
            sources: "RFC 8949 appendix C; CR components/cbor/reader.cc",
            "A decoder MUST refuse input that ends inside an item."),
        Rule("HT-CBOR-16", .must, .certain, article: "CanonicalCBOR",
            sources: "CR components/cbor/reader.cc; python-fido2 2 `cbor`",
            "A decoder MUST refuse bytes that follow the item."),
        Rule("HT-CBOR-17", .must, .certain, article: "CanonicalCBOR",
            sources: "RFC 8949 section 3.1; CR components/cbor/reader.cc; python-fido2 2 `cbor`",
            "A decoder MUST refuse a text string that is not UTF-8."),
        Rule("HT-CBOR-18", .shouldNot, .policy, article: "CanonicalCBOR",
            sources: "this project",
            "A decoder SHOULD NOT reserve memory for a length that its input does not hold."),
        Rule("HT-CBOR-19", .should, .policy, article: "CanonicalCBOR",
            sources: "this project; CTAP 2.2 section 8",
            "A decoder SHOULD bound the nesting that it follows, at no less than five levels."),
        Rule("HT-CBOR-20", .should, .policy, article: "CanonicalCBOR",
            sources: "this project",
            "A decoder SHOULD bound the number of items and of bytes that it reads."),
        Rule("HT-CBOR-21", .must, .implied, article: "CanonicalCBOR",
            sources: "python-fido2 2 `Ctap2`; this project",
            "A decoder MUST give a value that encodes to the very bytes that it has read."),
        Rule("HT-CBOR-22", .should, .implied, article: "CanonicalCBOR",
            sources: "CTAP 2.2 sections 6 and 8",
            """
            An authenticator SHOULD ignore a floating-point number in a parameter that it does not know.
            """),
        Rule("HT-CON-1", .should, .policy, article: "ContactSide",
            sources: "this project",
            """
            An authenticator SHOULD wait to be woken on a WebSocket at `/cable/listen`, requested under the \
            rules of every tunnel.
            """),
        Rule("HT-CON-2", .shouldNot, .policy, article: "ContactSide",
            sources: "this project",
            "A tunnel service SHOULD NOT redirect a request to `/cable/listen`."),
        Rule("HT-CON-3", .should, .policy, article: "ContactSide",
            sources: "this project",
            """
            A tunnel service without a contact side SHOULD answer 404 to `/cable/listen` and `/cable/contact/`.
            """),
        Rule("HT-CON-4", .should, .policy, article: "ContactSide",
            sources: "this project",
            """
            A receiver SHOULD end the connection on a message that is not one map in canonical CBOR of a type \
            and form above.
            """),
        Rule("HT-CON-5", .should, .policy, article: "ContactSide",
            sources: "this project",
            """
            A receiver SHOULD end the connection on a message longer than 524,288 bytes from the service, or \
            1,024 from the authenticator.
            """),
        Rule("HT-CON-6", .should, .policy, article: "ContactSide",
            sources: "this project",
            "A receiver SHOULD end the connection on a text or an empty message."),
        Rule("HT-CON-7", .should, .policy, article: "ContactSide",
            sources: "this project",
            "A receiver SHOULD ignore keys of a message that are not listed."),
        Rule("HT-CON-8", .should, .policy, article: "ContactSide",
            sources: "this project",
            """
            A tunnel service SHOULD begin each connection with a `hello` that has a new challenge.
            """),
        Rule("HT-CON-9", .should, .policy, article: "ContactSide",
            sources: "this project",
            """
            An authenticator SHOULD register within 10 seconds, with all labels under which it may be woken.
            """),
        Rule("HT-CON-10", .should, .policy, article: "ContactSide",
            sources: "this project",
            """
            A tunnel service SHOULD end a connection whose first message is not a registration.
            """),
        Rule("HT-CON-11", .should, .policy, article: "ContactSide",
            sources: "this project",
            """
            A tunnel service SHOULD answer a good registration with a contact ID for each label, in their order, \
            and a new challenge.
            """),
        Rule("HT-CON-12", .should, .policy, article: "ContactSide",
            sources: "this project",
            """
            A tunnel service SHOULD give the same contact ID for the same key and label, and another one for \
            another key.
            """),
        Rule("HT-CON-13", .should, .policy, article: "ContactSide",
            sources: "this project",
            """
            A tunnel service SHOULD replace an authenticator's labels by those of a later registration.
            """),
        Rule("HT-CON-14", .should, .policy, article: "ContactSide",
            sources: "this project",
            """
            A tunnel service SHOULD refuse another registration on one connection if it is by another key.
            """),
        Rule("HT-CON-15", .should, .policy, article: "ContactSide",
            sources: "this project",
            """
            A tunnel service SHOULD close, with 4409, an older listening connection of a key that registers to \
            listen.
            """),
        Rule("HT-CON-16", .should, .policy, article: "ContactSide",
            sources: "this project",
            """
            A tunnel service SHOULD answer a registration with `listens` false, and close that connection with \
            1000.
            """),
        Rule("HT-CON-17", .should, .policy, article: "ContactSide",
            sources: "this project",
            "An authenticator SHOULD send something at least every 300 seconds."),
        Rule("HT-CON-18", .should, .policy, article: "ContactSide",
            sources: "this project",
            """
            A tunnel service SHOULD ping an authenticator after 150 seconds of silence, and give it up after \
            330.
            """),
        Rule("HT-CON-19", .should, .policy, article: "ContactSide",
            sources: "this project",
            """
            A tunnel service SHOULD refuse, with 4401, a registration whose signature does not verify for its \
            name, its labels and `listens`.
            """),
        Rule("HT-CON-20", .should, .policy, article: "ContactSide",
            sources: "this project",
            """
            A tunnel service SHOULD refuse a registration signed for another challenge than the latest of this \
            connection.
            """),
        Rule("HT-CON-21", .should, .policy, article: "ContactSide",
            sources: "this project",
            """
            An authenticator SHOULD connect and register again when its connection is lost or refused, but after \
            4401 and 4409.
            """),
        Rule("HT-CON-22", .shouldNot, .policy, article: "ContactSide",
            sources: "this project",
            """
            An authenticator SHOULD NOT connect again after another connection has taken over (4409).
            """),
        Rule("HT-CON-23", .should, .policy, article: "ContactSide",
            sources: "this project",
            """
            An authenticator SHOULD wait a random time before it connects again: up to 2 seconds, doubled with \
            each failure up to 5 minutes.
            """),
        Rule("HT-CON-24", .should, .policy, article: "ContactSide",
            sources: "this project",
            """
            A tunnel service SHOULD send a `wake` with the contact ID and the client payload for each contact \
            request that it takes.
            """),
        Rule("HT-CON-25", .should, .policy, article: "ContactSide",
            sources: "this project",
            """
            A tunnel service SHOULD draw a new tunnel ID, that cannot be guessed, for each contact request.
            """),
        Rule("HT-CON-26", .should, .policy, article: "ContactSide",
            sources: "this project",
            """
            An authenticator SHOULD answer a `wake` with `acknowledge` at once, before it asks its user or \
            joins.
            """),
        Rule("HT-CON-27", .shouldNot, .policy, article: "ContactSide",
            sources: "this project",
            "An authenticator SHOULD NOT join a tunnel for a contact ID that is not its own."),
        Rule("HT-CON-28", .should, .policy, article: "ContactSide",
            sources: "this project",
            """
            An authenticator SHOULD acknowledge a repeated `wake` of one tunnel ID again, and otherwise ignore \
            it.
            """),
        Rule("HT-CON-29", .should, .policy, article: "ContactSide",
            sources: "this project",
            """
            A tunnel service SHOULD wake an authenticator that registers while a client waits for it.
            """),
        Rule("HT-CON-30", .should, .policy, article: "ContactSide",
            sources: "this project",
            """
            A tunnel service SHOULD answer a client with 101 when its authenticator has acknowledged or joined.
            """),
        Rule("HT-CON-31", .must, .implied, article: "ContactSide",
            sources: "HT-TUN; CR fido_tunnel_device.cc; LW known_devices.rs",
            """
            A tunnel service MUST relay between the client that has asked and the authenticator that joins its \
            tunnel.
            """),
        Rule("HT-CON-32", .must, .implied, article: "ContactSide",
            sources: "CR; LW, for which 101 is the beginning of a session",
            "A tunnel service MUST refuse a contact ID that it does not know."),
        Rule("HT-CON-33", .may, .disputed, article: "ContactSide",
            sources: "this project",
            "A tunnel service MAY answer 410 for a contact ID that it has not issued."),
        Rule("HT-CON-34", .should, .policy, article: "ContactSide",
            sources: "this project; UC linking.md, of links that an authenticator has ended",
            """
            A tunnel service SHOULD answer 410 for a label that its connected authenticator no longer registers.
            """),
        Rule("HT-CON-35", .mustNot, .implied, article: "ContactSide",
            sources: "CR; LW, which delete the link",
            """
            A tunnel service MUST NOT answer 410 while it does not know whether the contact will work again.
            """),
        Rule("HT-CON-36", .should, .policy, article: "ContactSide",
            sources: "this project",
            """
            A tunnel service SHOULD answer 503, within its hold, when the authenticator is not connected or does \
            not answer.
            """),
        Rule("HT-CON-37", .should, .policy, article: "ContactSide",
            sources: "this project",
            "A tunnel service SHOULD answer 503 to a client whose authenticator declines."),
        Rule("HT-CON-38", .should, .policy, article: "ContactSide",
            sources: "this project",
            """
            A tunnel service SHOULD close a client's tunnel, with 1000, when its authenticator declines after it \
            has acknowledged.
            """),
        Rule("HT-CON-39", .should, .policy, article: "ContactSide",
            sources: "this project",
            """
            A tunnel service SHOULD go on waking an authenticator whose clients have left while they waited.
            """),
        Rule("HT-CON-40", .should, .policy, article: "ContactSide",
            sources: "this project",
            "A tunnel service SHOULD refuse a contact ID of which a bit was changed."),
        Rule("HT-CON-41", .should, .policy, article: "ContactSide",
            sources: "this project",
            """
            A tunnel service SHOULD limit wakes, contact requests and frames, and answer 429 or close with 4429 \
            beyond.
            """),
        Rule("HT-CON-42", .should, .policy, article: "ContactSide",
            sources: "this project",
            """
            An authenticator SHOULD take a wake by the contact ID that the link's client was given, also where \
            its registration brought another one.
            """),
        Rule("HT-CON-43", .should, .policy, article: "ContactSide",
            sources: "this project",
            """
            A tunnel service of several nodes SHOULD wake an authenticator that waits at one node for a client \
            of another.
            """),
        Rule("HT-CON-44", .should, .policy, article: "ContactSide",
            sources: "this project",
            """
            A node SHOULD drop, unanswered, a message of another node that it cannot read, of another version or \
            not for its subject.
            """),
        Rule("HT-CON-45", .should, .policy, article: "ContactSide",
            sources: "this project",
            "A node SHOULD give, in a `wake` for its client, its own routing ID."),
        Rule("HT-CON-46", .should, .policy, article: "ContactSide",
            sources: "this project",
            """
            A node SHOULD close, with 4409, the listening connection of a key that has registered at another \
            node since.
            """),
        Rule("HT-CON-47", .should, .policy, article: "ContactSide",
            sources: "this project",
            """
            A node SHOULD close, with 1001, a listening connection whose registration may or may not be older \
            than another node's.
            """),
        Rule("HT-CON-48", .should, .policy, article: "ContactSide",
            sources: "this project",
            """
            A node SHOULD judge wakes of other nodes by the labels and the limits of the authenticator that \
            waits with it.
            """),
        Rule("HT-CON-49", .should, .policy, article: "ContactSide",
            sources: "this project",
            """
            A node that cannot reach the others SHOULD treat authenticators that do not wait with it as not \
            connected.
            """),
        Rule("HT-CON-50", .shouldNot, .policy, article: "ContactSide",
            sources: "this project",
            """
            A node SHOULD NOT start with a routing ID that another process of the service has.
            """),
        Rule("HT-CON-51", .should, .policy, article: "ContactSide",
            sources: "this project",
            """
            A node SHOULD tell all others every 5 seconds, in `alive`, the random name of its process and a \
            number, 1 at first, then one more each time.
            """),
        Rule("HT-CON-52", .should, .policy, article: "ContactSide",
            sources: "this project",
            """
            A node SHOULD announce its registrations again when a number of `alive` is not the next one of its \
            process.
            """),
        Rule("HT-CON-53", .should, .policy, article: "ContactSide",
            sources: "this project",
            """
            A node SHOULD have an authenticator that does not list a label register again, and answer 410 only \
            if it had its challenge after the client asked.
            """),
        Rule("HT-DC-1", .must, .secondHand, article: "DigitalCredentials",
            sources: "IJ23; CR v2_handshake.cc",
            """
            A client MUST put the hint `dcp` or `dci` into the QR code when it asks for a digital credential.
            """),
        Rule("HT-DC-2", .must, .certain, article: "DigitalCredentials",
            sources: "IJ23; CR fido_tunnel_device.cc; MG",
            """
            An authenticator that serves digital credentials MUST list the feature `dc` in its first message.
            """),
        Rule("HT-DC-3", .mustNot, .implied, article: "DigitalCredentials",
            sources: "CR fido_tunnel_device.cc",
            """
            A client MUST NOT send a JSON message to an authenticator that does not list the feature `dc`.
            """),
        Rule("HT-DC-4", .mustNot, .implied, article: "DigitalCredentials",
            sources: "CR fido_tunnel_device.cc",
            "A client MUST NOT take another spelling for the feature `dc`."),
        Rule("HT-DC-5", .must, .implied, article: "DigitalCredentials",
            sources: "CR v2_authenticator.cc",
            """
            An authenticator MUST refuse a JSON message unless it has offered the feature `dc`.
            """),
        Rule("HT-DC-6", .must, .implied, article: "DigitalCredentials",
            sources: "CR fido_tunnel_device.cc",
            """
            A client MUST accept an authenticator that lists the feature `dc` without `ctap`.
            """),
        Rule("HT-DC-7", .must, .implied, article: "DigitalCredentials",
            sources: "CR fido_tunnel_device.cc",
            "An authenticator that lists `ctap` beside `dc` MUST answer CTAP requests."),
        Rule("HT-DC-8", .must, .implied, article: "DigitalCredentials",
            sources: "CR fido_tunnel_device.cc",
            "An authenticator that does not list `ctap` MUST refuse a CTAP message."),
        Rule("HT-DC-9", .must, .certain, article: "DigitalCredentials",
            sources: "CR cross_device_request_dispatcher.cc; RFC 8259 section 8.1; MG",
            "A sender MUST put one JSON text in UTF-8 into a message of type 3."),
        Rule("HT-DC-10", .must, .certain, article: "DigitalCredentials",
            sources: "RFC 8259 sections 2 and 7",
            """
            A receiver MUST accept every form of the text that JSON allows, such as white space between tokens \
            and escaped characters.
            """),
        Rule("HT-DC-11", .must, .certain, article: "DigitalCredentials",
            sources: "RFC 8259 section 2",
            "A receiver MUST refuse a JSON message that is not exactly one JSON text."),
        Rule("HT-DC-12", .must, .certain, article: "DigitalCredentials",
            sources: "RFC 8259 section 8.1",
            "A receiver MUST refuse a JSON message that is not UTF-8."),
        Rule("HT-DC-13", .must, .implied, article: "DigitalCredentials",
            sources: "RFC 8259 section 2",
            "A receiver MUST refuse a JSON message without contents."),
        Rule("HT-DC-14", .should, .policy, article: "DigitalCredentials",
            sources: "this project",
            "A receiver SHOULD bound the nesting and the length of the JSON that it reads."),
        Rule("HT-DC-15", .should, .policy, article: "DigitalCredentials",
            sources: "this project; RFC 8259 section 4",
            "A receiver SHOULD refuse JSON in which an object has the same name twice."),
        Rule("HT-DC-16", .should, .secondHand, article: "DigitalCredentials",
            sources: "CR cross_device_request_dispatcher.cc",
            "A receiver SHOULD ignore members that it does not know."),
        Rule("HT-DC-17", .should, .secondHand, article: "DigitalCredentials",
            sources: "CR cross_device_request_dispatcher.cc",
            "A client SHOULD name the origin of the site in the member `origin`."),
        Rule("HT-DC-18", .should, .secondHand, article: "DigitalCredentials",
            sources: "CR cross_device_request_dispatcher.cc",
            """
            A client SHOULD name `credential.get` or `credential.create` in the member `requestType`.
            """),
        Rule("HT-DC-19", .must, .certain, article: "DigitalCredentials",
            sources: "W3C Digital Credentials section 3; CR digital_identity_request_impl.cc",
            """
            A client MUST give each entry of `request.digital.requests` a text `protocol` and the member `data`.
            """),
        Rule("HT-DC-20", .should, .policy, article: "DigitalCredentials",
            sources: "this project",
            "An authenticator SHOULD accept a request of 64 KiB."),
        Rule("HT-DC-21", .shouldNot, .policy, article: "DigitalCredentials",
            sources: "this project",
            """
            An authenticator SHOULD NOT give a credential for a request whose member `origin` is missing or no \
            text.
            """),
        Rule("HT-DC-22", .shouldNot, .policy, article: "DigitalCredentials",
            sources: "this project",
            """
            An authenticator SHOULD NOT give a credential for a request whose `requestType` is missing or \
            unknown.
            """),
        Rule("HT-DC-23", .shouldNot, .policy, article: "DigitalCredentials",
            sources: "this project; W3C Digital Credentials section 3",
            """
            An authenticator SHOULD NOT give a credential for a request whose `requests` is no list of at least \
            one entry.
            """),
        Rule("HT-DC-24", .shouldNot, .policy, article: "DigitalCredentials",
            sources: "this project; W3C Digital Credentials section 3",
            """
            An authenticator SHOULD NOT give a credential for a request with an entry that lacks a text \
            `protocol` or the member `data`.
            """),
        Rule("HT-DC-25", .should, .policy, article: "DigitalCredentials",
            sources: "this project",
            """
            An authenticator SHOULD bound the origin's length and the number of entries that it takes.
            """),
        Rule("HT-DC-26", .should, .policy, article: "DigitalCredentials",
            sources: "this project",
            "An authenticator SHOULD show the user the whole origin, or at least its end."),
        Rule("HT-DC-27", .should, .secondHand, article: "DigitalCredentials",
            sources: "CR cross_device_request_dispatcher.cc",
            "An authenticator SHOULD answer a request with either a credential or an error."),
        Rule("HT-DC-28", .should, .secondHand, article: "DigitalCredentials",
            sources: "CR cross_device_request_dispatcher.cc; this project, measured",
            """
            An authenticator SHOULD put a credential under `response.digital.data`, with its `protocol` and \
            `data`.
            """),
        Rule("HT-DC-29", .should, .secondHand, article: "DigitalCredentials",
            sources: "CR cross_device_request_dispatcher.cc",
            "An authenticator SHOULD name an error as a text under `response.digital.error`."),
        Rule("HT-DC-30", .should, .secondHand, article: "DigitalCredentials",
            sources: "W3C Digital Credentials section 3",
            "An authenticator SHOULD give a credential only in a protocol that was requested."),
        Rule("HT-DC-31", .should, .secondHand, article: "DigitalCredentials",
            sources: "W3C Digital Credentials section 3",
            "An authenticator SHOULD pass over entries whose protocol it does not know."),
        Rule("HT-DC-32", .should, .secondHand, article: "DigitalCredentials",
            sources: "CR cross_device_request_dispatcher.cc",
            """
            An authenticator SHOULD answer an error to a request in which it knows no protocol.
            """),
        Rule("HT-DC-33", .should, .secondHand, article: "DigitalCredentials",
            sources: "CR cross_device_request_dispatcher.cc; IJ23",
            "An authenticator SHOULD answer requests of type `credential.create`."),
        Rule("HT-DC-34", .should, .policy, article: "DigitalCredentials",
            sources: "this project",
            "A client SHOULD accept an answer of 256 KiB."),
        Rule("HT-DC-35", .should, .secondHand, article: "DigitalCredentials",
            sources: "CR cross_device_request_dispatcher.cc; this project, measured",
            """
            A client SHOULD take an answer that has an error for a refusal, whatever its name is and whatever \
            else it has.
            """),
        Rule("HT-DC-36", .should, .secondHand, article: "DigitalCredentials",
            sources: "CR cross_device_request_dispatcher.cc",
            """
            A client SHOULD refuse an answer that has neither `response.digital.data` nor \
            `response.digital.error`.
            """),
        Rule("HT-DC-37", .should, .secondHand, article: "DigitalCredentials",
            sources: "CR cross_device_request_dispatcher.cc; this project, measured",
            "A client SHOULD refuse a credential without a text `protocol` or without `data`."),
        Rule("HT-DC-38", .should, .policy, article: "DigitalCredentials",
            sources: "this project",
            "A client SHOULD refuse an error that is no text."),
        Rule("HT-DC-39", .may, .disputed, article: "DigitalCredentials",
            sources: "CR cross_device_request_dispatcher.cc; this project",
            "A client MAY accept a credential of a protocol that it did not request."),
        Rule("HT-DC-40", .may, .disputed, article: "DigitalCredentials",
            sources: "WR mod.rs; this project",
            """
            An authenticator MAY answer a further request, in CTAP or in JSON, after an answer.
            """),
        Rule("HT-DC-41", .shouldNot, .policy, article: "DigitalCredentials",
            sources: """
            this project; WHATWG HTML, serialization of an origin; W3C Secure Contexts, section 3.1
            """,
            """
            An authenticator SHOULD NOT give a credential for a request whose member `origin` is neither a \
            serialised `https` origin nor one of `http` and `localhost`.
            """),
        Rule("HT-DC-42", .should, .policy, article: "DigitalCredentials",
            sources: "this project",
            """
            An authenticator SHOULD show the user what a signed request asks for, and say that its signature is \
            not checked unless it is.
            """),
        Rule("HT-DC-43", .mustNot, .certain, article: "DigitalCredentials",
            sources: "OpenID for Verifiable Presentations 1.0, appendix A.2",
            """
            An authenticator MUST NOT give a credential for a signed OpenID4VP request whose `expected_origins` \
            lack the origin of the request, compared byte for byte.
            """),
        Rule("HT-DC-44", .shouldNot, .policy, article: "DigitalCredentials",
            sources: "this project",
            """
            An authenticator SHOULD NOT give a credential for an entry of OpenID4VP or `org-iso-mdoc` that can \
            be read in two ways, or not at all.
            """),
        Rule("HT-FRM-1", .must, .certain, article: "Framing",
            sources: """
            CR v2_handshake.cc `Crypter`; WR noise.rs; LW protocol.rs; FX padding.rs; MG NoiseCrypter.kt
            """,
            """
            A sender MUST append to each message zero bytes, 0 to 255 of them, and then one byte with their \
            number.
            """),
        Rule("HT-FRM-2", .should, .disputed, article: "Framing",
            sources: "CR v2_handshake.cc `Crypter`; WR noise.rs; FX padding.rs; LW protocol.rs",
            """
            A sender SHOULD append the fewest zero bytes that make the padded message a multiple of 32 bytes.
            """),
        Rule("HT-FRM-3", .must, .certain, article: "Framing",
            sources: """
            CR v2_handshake.cc `Crypter`; WR noise.rs; LW protocol.rs; FX padding.rs; MG NoiseCrypter.kt
            """,
            """
            A receiver MUST take off the number of bytes that the last byte of the plaintext says, and that byte \
            itself.
            """),
        Rule("HT-FRM-4", .must, .certain, article: "Framing",
            sources: "CR v2_handshake.cc `Crypter`; WR noise.rs; LW protocol.rs",
            """
            A receiver MUST refuse an empty plaintext, which has not even the byte that counts.
            """),
        Rule("HT-FRM-5", .must, .certain, article: "Framing",
            sources: "CR v2_handshake.cc `Crypter`; WR noise.rs; LW protocol.rs",
            """
            A receiver MUST refuse a plaintext that is shorter than its last byte says, that byte included.
            """),
        Rule("HT-FRM-6", .must, .certain, article: "Framing",
            sources: "LW protocol.rs; CR v2_handshake.cc `Crypter`; WR noise.rs",
            "A receiver MUST read a plaintext of 32k + 1 bytes."),
        Rule("HT-FRM-7", .should, .disputed, article: "Framing",
            sources: "CR v2_handshake.cc `Crypter`; WR noise.rs; LW protocol.rs",
            "A receiver SHOULD read a plaintext of any length."),
        Rule("HT-FRM-8", .should, .disputed, article: "Framing",
            sources: """
            CR v2_handshake.cc `Crypter`; LW protocol.rs; FX padding.rs; MG NoiseCrypter.kt; WR noise.rs
            """,
            "A receiver SHOULD read a message with more than 31 bytes of padding."),
        Rule("HT-FRM-9", .should, .secondHand, article: "Framing",
            sources: "CR v2_handshake.cc `Crypter`; WR noise.rs; LW protocol.rs",
            "A receiver SHOULD ignore the values of the padding bytes."),
        Rule("HT-FRM-10", .must, .certain, article: "Framing",
            sources: """
            CR v2_handshake.cc `Crypter`; WR noise.rs; LW protocol.rs; FX channel.rs; MG NoiseCrypter.kt
            """,
            """
            A sender MUST seal each frame with AES-256-GCM, without additional data, under the key of its own \
            direction.
            """),
        Rule("HT-FRM-11", .must, .certain, article: "Framing",
            sources: """
            CR v2_handshake.cc `Crypter`; WR noise.rs; LW protocol.rs; FX channel.rs; MG NoiseCrypter.kt
            """,
            """
            A sender MUST make the nonce of eight zero bytes and its counter, four bytes big-endian.
            """),
        Rule("HT-FRM-12", .must, .certain, article: "Framing",
            sources: "CR v2_handshake.cc `Crypter`; WR noise.rs; LW protocol.rs; MG NoiseCrypter.kt",
            "A sender MUST count its frames from 0, by one for each frame."),
        Rule("HT-FRM-13", .must, .certain, article: "Framing",
            sources: "CR v2_handshake.cc `Crypter`; WR noise.rs; LW protocol.rs",
            "A sender MUST put the tag of 16 bytes behind the ciphertext."),
        Rule("HT-FRM-14", .mustNot, .certain, article: "Framing",
            sources: "CR v2_handshake.cc `Crypter`; TD cable_core.cpp; SK",
            "A sender MUST NOT seal a frame with a counter above 2^24 - 1."),
        Rule("HT-FRM-15", .mustNot, .certain, article: "Framing",
            sources: "CR v2_handshake.cc `Crypter`; TD cable_core.cpp; SK",
            "A receiver MUST NOT open a frame with a counter above 2^24 - 1."),
        Rule("HT-FRM-16", .must, .certain, article: "Framing",
            sources: "CR v2_handshake.cc `Crypter`; WR noise.rs; LW protocol.rs",
            "A receiver MUST refuse a frame whose tag does not match."),
        Rule("HT-FRM-17", .must, .implied, article: "Framing",
            sources: "CR v2_handshake.cc `Crypter`; LW protocol.rs",
            "A receiver MUST refuse a frame that is shorter than a tag, 16 bytes."),
        Rule("HT-FRM-18", .must, .implied, article: "Framing",
            sources: "CR v2_handshake.cc `Crypter`; WR noise.rs; LW protocol.rs",
            """
            A receiver MUST refuse a frame that is not the next one of its direction: repeated, skipped or out \
            of order.
            """),
        Rule("HT-FRM-19", .must, .implied, article: "Framing",
            sources: "CR v2_handshake.cc `Crypter`; WR noise.rs",
            """
            A receiver MUST refuse a frame that was sealed with another key, that of its own direction included.
            """),
        Rule("HT-FRM-20", .must, .certain, article: "Framing",
            sources: "CR fido_tunnel_device.cc; LW protocol.rs",
            """
            A receiver MUST end the session when a frame cannot be opened or its padding cannot be taken off.
            """),
        Rule("HT-FRM-21", .should, .secondHand, article: "Framing",
            sources: "CR v2_handshake.cc `Crypter`; WR noise.rs",
            "A receiver SHOULD advance its counter only when a frame has opened."),
        Rule("HT-FRM-22", .shouldNot, .secondHand, article: "Framing",
            sources: "SP (CTAP 2.2); LW protocol.rs",
            "A sender SHOULD NOT seal a message of more than 2^20 bytes."),
        Rule("HT-FRM-23", .should, .policy, article: "Framing",
            sources: "this project",
            "A receiver SHOULD refuse a frame that is longer than the longest message needs."),
        Rule("HT-FRM-24", .should, .disputed, article: "Framing",
            sources: "WR noise.rs; CR at 0b007350d888",
            "The client SHOULD accept a first frame in the old construction."),
        Rule("HT-FRM-25", .should, .secondHand, article: "Framing",
            sources: "WR noise.rs",
            """
            The client SHOULD seal and open all further frames in the construction in which the first frame \
            opened.
            """),
        Rule("HT-FRM-26", .must, .implied, article: "Framing",
            sources: "CR v2_handshake.cc `Crypter`; WR noise.rs; LW protocol.rs",
            "A receiver MUST refuse a frame in another construction than the session's."),
        Rule("HT-HOV-1", .must, .certain, article: "HandOver",
            sources: "this project",
            """
            The receiver MUST show a QR code whose text is `HYBRID-HANDOVER:/` and the digits of the map of \
            HT-QR-11, which leaves out key 5.
            """),
        Rule("HT-HOV-2", .must, .certain, article: "HandOver",
            sources: "this project",
            """
            The sender MUST refuse a QR code whose text has another beginning, and take this one in either case.
            """),
        Rule("HT-HOV-3", .must, .certain, article: "HandOver",
            sources: "this project",
            "The sender MUST ignore keys 4 and 5 of the map."),
        Rule("HT-HOV-4", .must, .certain, article: "HandOver",
            sources: "this project",
            """
            Both ends MUST use, in the place of the QR secret, HKDF-SHA-256 of it: 16 bytes, no salt, with the \
            label `hybrid passkey hand-over 1` as info.
            """),
        Rule("HT-HOV-5", .must, .certain, article: "HandOver",
            sources: "this project",
            """
            Both ends MUST use the handshake of HT-HS-1 with the label of HT-HOV-4 as its prologue.
            """),
        Rule("HT-HOV-6", .must, .certain, article: "HandOver",
            sources: "this project",
            """
            Otherwise both ends MUST keep to the rules of a QR-initiated session up to the end of the handshake, \
            and to those of frames.
            """),
        Rule("HT-HOV-7", .must, .certain, article: "HandOver",
            sources: "this project",
            """
            Both ends MUST send the messages in the order of their numbers, each from its end, and refuse one \
            out of turn; only message 9 may come at any time.
            """),
        Rule("HT-HOV-8", .must, .certain, article: "HandOver",
            sources: "this project",
            """
            Both ends MUST refuse contents that are not a map in canonical CBOR with exactly the fields below, \
            but for the payload.
            """),
        Rule("HT-HOV-9", .must, .certain, article: "HandOver",
            sources: "this project",
            """
            Both ends MUST refuse a device's name of more than 64 bytes, an RP ID of 0 or more than 253, and \
            another name of more than 256.
            """),
        Rule("HT-HOV-10", .must, .certain, article: "HandOver",
            sources: "this project",
            "The sender MUST refuse a hello of another edition than 1."),
        Rule("HT-HOV-11", .must, .certain, article: "HandOver",
            sources: "this project",
            """
            The sender MUST refuse a reveal whose number does not fit the commitment: SHA-256 of the label, ` \
            commitment`, the handshake hash and the number.
            """),
        Rule("HT-HOV-12", .must, .certain, article: "HandOver",
            sources: "this project",
            """
            Both ends MUST compute the digits by HKDF-SHA-256 of the handshake hash, salted with the receiver's \
            and then the sender's number, the label and ` code` as info, 8 bytes, as a big-endian integer modulo \
            1,000,000.
            """),
        Rule("HT-HOV-13", .must, .certain, article: "HandOver",
            sources: "this project",
            """
            Each end MUST show its user the digits, the other device's name and the passkeys, and go on only \
            after a yes with a verification.
            """),
        Rule("HT-HOV-14", .must, .certain, article: "HandOver",
            sources: "this project",
            "Both ends MUST refuse an offer of more than 100 passkeys or 1024 digests."),
        Rule("HT-HOV-15", .mustNot, .certain, article: "HandOver",
            sources: "this project",
            "The sender MUST NOT send an offer before its user has approved the digits."),
        Rule("HT-HOV-16", .must, .certain, article: "HandOver",
            sources: "this project",
            """
            The sender MUST name a passkey in transit by SHA-256 of the label, ` credential` and its credential \
            ID, and only to the receiver whose number it has noted.
            """),
        Rule("HT-HOV-17", .must, .certain, article: "HandOver",
            sources: "this project",
            """
            The sender MUST refuse an acceptance, or a receipt, with another number of members than it has asked \
            about.
            """),
        Rule("HT-HOV-18", .must, .certain, article: "HandOver",
            sources: "this project",
            """
            The sender MUST have noted on its disk that the passkeys of a move are in transit, and to which \
            receiver, before it sends a byte of the payload.
            """),
        Rule("HT-HOV-19", .must, .certain, article: "HandOver",
            sources: "this project",
            """
            The receiver MUST have the passkeys on its disk before it sends a receipt that says so.
            """),
        Rule("HT-HOV-20", .must, .certain, article: "HandOver",
            sources: "this project",
            """
            The sender MUST remove the passkeys of a move that a receipt has with outcome 1 or 2, and use the \
            others again, before it sends message 8.
            """),
        Rule("HT-HOV-21", .mustNot, .certain, article: "HandOver",
            sources: "this project",
            """
            The receiver MUST NOT send message 9 once it has begun to keep the passkeys: it says that none was \
            kept.
            """),
        Rule("HT-HOV-22", .must, .certain, article: "HandOver",
            sources: "this project",
            """
            The receiver MUST refuse a payload that does not have exactly the passkeys of the offer, in their \
            order, and keep none of it.
            """),
        Rule("HT-HOV-23", .mustNot, .certain, article: "HandOver",
            sources: "this project",
            """
            The sender MUST NOT use a passkey in transit, and ends that state only by what the receiver says, \
            here or at a later meeting, or by its user's word.
            """),
        Rule("HT-HOV-24", .must, .certain, article: "HandOver",
            sources: "this project",
            """
            The receiver MUST state the same number in every hello, which no other vault states.
            """),
        Rule("HT-HOV-25", .must, .certain, article: "HandOver",
            sources: "this project",
            """
            The receiver MUST say in an acceptance that a passkey has arrived if it was kept once, even if it \
            was moved on or removed since, until it has got message 8.
            """),
        Rule("HT-HS-1", .must, .certain, article: "Handshake",
            sources: """
            CR noise.cc, v2_handshake.cc `HandshakeInitiator`; WR noise.rs; LW protocol.rs; MG NoiseProtocol.kt; \
            this project, measured
            """,
            """
            An implementation MUST run the pattern `Noise_KNpsk0_P256_AESGCM_SHA256` in a QR-initiated session.
            """),
        Rule("HT-HS-2", .must, .certain, article: "Handshake",
            sources: "CR noise.cc, v2_handshake.cc; LW protocol.rs; this project, measured",
            """
            An implementation MUST run the pattern `Noise_NKpsk0_P256_AESGCM_SHA256` in a state-assisted \
            session.
            """),
        Rule("HT-HS-3", .must, .certain, article: "Handshake",
            sources: "CR v2_handshake.cc; WR noise.rs; LW protocol.rs",
            """
            An implementation MUST mix in as prologue the byte `01` with KNpsk0, and the byte `00` with NKpsk0.
            """),
        Rule("HT-HS-4", .must, .certain, article: "Handshake",
            sources: "CR v2_handshake.cc; WR noise.rs; LW protocol.rs",
            """
            An implementation MUST mix the static public key that is known beforehand into the hash after the \
            prologue: the client's with KNpsk0, the authenticator's with NKpsk0.
            """),
        Rule("HT-HS-5", .must, .certain, article: "Handshake",
            sources: "CR v2_handshake.cc; WR noise.rs; LW protocol.rs; MG NoiseProtocol.kt",
            "An implementation MUST send and mix in every public key as 65 bytes: `04`, X, Y."),
        Rule("HT-HS-6", .must, .certain, article: "Handshake",
            sources: "CR noise.cc; WR noise.rs; LW protocol.rs; this project, measured",
            """
            An implementation MUST use as the result of a key agreement the 32 bytes of the X coordinate, with \
            its leading zeros and without hashing.
            """),
        Rule("HT-HS-7", .must, .certain, article: "Handshake",
            sources: "CR v2_handshake.cc; WR noise.rs; Noise section 9.2",
            """
            An implementation MUST mix in the PSK with MixKeyAndHash before the first ephemeral key.
            """),
        Rule("HT-HS-8", .must, .certain, article: "Handshake",
            sources: "Noise section 9.2; CR v2_handshake.cc; WR noise.rs",
            """
            An implementation MUST pass each ephemeral public key to MixKey right after it has passed it to \
            MixHash.
            """),
        Rule("HT-HS-9", .must, .certain, article: "Handshake",
            sources: "Noise section 7; CR v2_handshake.cc; WR noise.rs; LW protocol.rs",
            """
            An implementation MUST mix in the key agreements in the pattern's order: ee, then se, in message 2 \
            of KNpsk0; es in message 1 and ee in message 2 of NKpsk0.
            """),
        Rule("HT-HS-10", .must, .implied, article: "Handshake",
            sources: "CR noise.cc; WR noise.rs; this project, measured",
            """
            An implementation MUST seal the payload of each handshake message under a nonce of twelve zero \
            bytes, with the handshake hash as additional data.
            """),
        Rule("HT-HS-11", .must, .secondHand, article: "Handshake",
            sources: "Noise section 14, ephemeral key reuse",
            "An implementation MUST make a new ephemeral key for each handshake."),
        Rule("HT-HS-12", .must, .certain, article: "Handshake",
            sources: "CR v2_handshake.cc; WR noise.rs; LW protocol.rs",
            """
            A sender MUST make a handshake message of 81 bytes: its ephemeral public key, and the tag of an \
            empty payload.
            """),
        Rule("HT-HS-13", .must, .implied, article: "Handshake",
            sources: "CR v2_handshake.cc; WR noise.rs; LW protocol.rs",
            "A receiver MUST refuse a handshake message that is shorter than 81 bytes."),
        Rule("HT-HS-14", .must, .certain, article: "Handshake",
            sources: "CR v2_handshake.cc; WR noise.rs; LW protocol.rs; SEC 1 section 3.2.2",
            "A receiver MUST refuse an ephemeral public key that is not a point of P-256."),
        Rule("HT-HS-15", .must, .certain, article: "Handshake",
            sources: "SEC 1 section 2.3.4; CR v2_handshake.cc",
            "A receiver MUST refuse an ephemeral public key whose first byte is not `04`."),
        Rule("HT-HS-16", .must, .certain, article: "Handshake",
            sources: "SEC 1 sections 2.3.4 and 2.3.6; CR v2_handshake.cc",
            """
            A receiver MUST refuse an ephemeral public key with a coordinate that is not below the prime of \
            P-256.
            """),
        Rule("HT-HS-17", .must, .certain, article: "Handshake",
            sources: "CR v2_handshake.cc; WR noise.rs; LW protocol.rs",
            "A receiver MUST end the handshake when the tag of a message does not open."),
        Rule("HT-HS-18", .must, .implied, article: "Handshake",
            sources: "Noise section 9; CR v2_handshake.cc; WR noise.rs",
            "A receiver MUST refuse a handshake message whose sender used another PSK."),
        Rule("HT-HS-19", .must, .implied, article: "Handshake",
            sources: "Noise section 7; CR v2_handshake.cc; WR noise.rs; LW protocol.rs",
            """
            A receiver MUST refuse a handshake that its peer made with another static key than the one known \
            beforehand.
            """),
        Rule("HT-HS-20", .must, .implied, article: "Handshake",
            sources: "CR v2_handshake.cc; WR noise.rs; LW protocol.rs",
            "A receiver MUST refuse a handshake message of the other pattern."),
        Rule("HT-HS-21", .must, .implied, article: "Handshake",
            sources: "CR v2_handshake.cc; WR noise.rs; LW protocol.rs",
            "A receiver MUST refuse a handshake message with bytes behind its tag."),
        Rule("HT-HS-22", .must, .certain, article: "Handshake",
            sources: "CR v2_handshake.cc; WR noise.rs",
            "A receiver MUST refuse a handshake message whose payload is not empty."),
        Rule("HT-HS-23", .must, .implied, article: "Handshake",
            sources: "Noise section 14; this project",
            """
            A receiver MUST refuse a handshake message of another session, and its own message sent back to it.
            """),
        Rule("HT-HS-24", .must, .certain, article: "Handshake",
            sources: "CR fido_tunnel_device.cc; WR tunnel.rs; LW protocol.rs; UC docs",
            "The client MUST send message 1 before the authenticator sends anything."),
        Rule("HT-HS-25", .should, .policy, article: "Handshake",
            sources: "this project",
            """
            An implementation SHOULD wait for a handshake message for a limited time, and longer than a slow \
            network takes.
            """),
        Rule("HT-HS-26", .must, .certain, article: "Handshake",
            sources: "CR v2_handshake.cc; LW protocol.rs",
            """
            An implementation MUST take as handshake hash the value of `h` after the tag of message 2 was mixed \
            in.
            """),
        Rule("HT-HS-27", .must, .certain, article: "Handshake",
            sources: "Noise section 5.2; CR v2_handshake.cc; WR noise.rs; LW protocol.rs",
            """
            An implementation MUST use the first key of Split from the client to the authenticator, and the \
            second key for the other direction.
            """),
        Rule("HT-KEY-1", .must, .certain, article: "KeyDerivation",
            sources: "CR v2_handshake.cc `Derive`; WR discovery.rs; LW crypto.rs; RFC 5869",
            """
            An implementation MUST derive with HKDF-SHA-256, with the purpose as a little-endian integer of four \
            bytes as its info.
            """),
        Rule("HT-KEY-2", .must, .certain, article: "KeyDerivation",
            sources: "CR v2_handshake.cc `Derive`; WR discovery.rs; RFC 5869 section 2.2",
            "An implementation MUST use an empty salt where the table names none."),
        Rule("HT-KEY-3", .may, .certain, article: "KeyDerivation",
            sources: "LW crypto.rs; JO; RFC 5869 section 2.3",
            "An implementation MAY derive more bytes than it needs and use the first ones."),
        Rule("HT-KEY-4", .must, .certain, article: "KeyDerivation",
            sources: "CR v2_handshake.cc; WR discovery.rs; LW crypto.rs; SK; IJB",
            """
            An implementation MUST derive the EID key of a QR code from the QR secret: 64 bytes, purpose 1, no \
            salt.
            """),
        Rule("HT-KEY-5", .must, .certain, article: "KeyDerivation",
            sources: "CR v2_handshake.cc; WR discovery.rs; LW crypto.rs; SK; IJB",
            """
            An implementation MUST derive the tunnel ID from the QR secret: 16 bytes, purpose 2, no salt.
            """),
        Rule("HT-KEY-6", .must, .certain, article: "KeyDerivation",
            sources: "CR v2_handshake.cc; WR discovery.rs; LW crypto.rs; SK; IJB",
            """
            An implementation MUST derive the pre-shared key of a QR code's handshake from the QR secret: 32 \
            bytes, purpose 3, salted with the advert's plaintext.
            """),
        Rule("HT-KEY-7", .must, .certain, article: "KeyDerivation",
            sources: "CR v2_discovery.cc; CR v2_authenticator.cc; LW known_devices.rs",
            """
            An implementation MUST derive the EID key of a linked session from the link secret: 64 bytes, \
            purpose 1, salted with the client's nonce of 16 bytes.
            """),
        Rule("HT-KEY-8", .must, .certain, article: "KeyDerivation",
            sources: "CR fido_tunnel_device.cc; CR v2_authenticator.cc; LW known_devices.rs",
            """
            An implementation MUST derive the pre-shared key of a linked session from the link secret: 32 bytes, \
            purpose 3, salted with the advert's plaintext.
            """),
        Rule("HT-KEY-9", .may, .secondHand, article: "KeyDerivation",
            sources: "CR v2_authenticator.cc `DerivePairedSecret`",
            """
            The authenticator MAY compute a link secret as derive(derive(root secret, contact ID, 6, 32), link \
            ID, 4, 32).
            """),
        Rule("HT-KEY-10", .may, .secondHand, article: "KeyDerivation",
            sources: "CR v2_handshake.cc `IdentityKey`",
            """
            The authenticator MAY compute the seed of its identity key as derive(root secret, no salt, 5, 32).
            """),
        Rule("HT-KEY-11", .may, .secondHand, article: "KeyDerivation",
            sources: "CR v2_handshake.cc `IdentityKey`; this project, measured",
            """
            The authenticator MAY expand that seed as BoringSSL does: HKDF-SHA-256 with the info `derive EC key \
            P-256`, 48 bytes, modulo the order of the curve.
            """),
        Rule("HT-KEY-12", .should, .policy, article: "KeyDerivation",
            sources: "this project; CR v2_authenticator.cc",
            """
            The authenticator SHOULD use a root secret of 32 bytes, and refuse one of another length.
            """),
        Rule("HT-KEY-13", .should, .policy, article: "KeyDerivation",
            sources: "this project",
            """
            The authenticator SHOULD expand its key towards contact services from the root secret, as HT-KEY-11 \
            does but with the info `hybrid transport contact key P-256`.
            """),
        Rule("HT-BLE-1", .may, .secondHand, article: "L2CAP",
            sources: "IJ23 (CTAP 2.3 section 11.5.1.1.2); LW connection_stages.rs; UC docs",
            "The authenticator MAY offer the channel to a client whose QR code lists it."),
        Rule("HT-BLE-2", .may, .secondHand, article: "L2CAP",
            sources: "IJ23 (CTAP 2.3 section 11.5.1.1); LW qr_code_device.rs; FX",
            "The client MAY offer the channel in its QR code."),
        Rule("HT-BLE-3", .must, .certain, article: "L2CAP",
            sources: "Bluetooth Core Specification volume 3 part A section 4.22",
            "The authenticator MUST listen under a PSM from 128 to 255."),
        Rule("HT-BLE-4", .must, .secondHand, article: "L2CAP",
            sources: """
            IJ23 (CTAP 2.3 section 11.5.1.1.2); LW l2cap.rs, connection_stages.rs; UC src/l2cap.rs
            """,
            """
            The client MUST connect to the PSM of the suffix at the address that sent the advert, without \
            pairing.
            """),
        Rule("HT-BLE-5", .must, .secondHand, article: "L2CAP",
            sources: "IJ23 (CTAP 2.3 section 11.5.1.1.2); LW advertisement.rs",
            "The client MUST use the tunnel when the advert names no PSM."),
        Rule("HT-BLE-6", .must, .secondHand, article: "L2CAP",
            sources: "IJ23 (CTAP 2.3 section 11.5.1.1.2); LW connection_stages.rs",
            "The client MUST use the tunnel when it cannot connect to the PSM."),
        Rule("HT-BLE-7", .should, .disputed, article: "L2CAP",
            sources: "this project",
            """
            The client SHOULD join the tunnel when the channel closes, or the handshake over it fails, before \
            the handshake is complete.
            """),
        Rule("HT-BLE-8", .shouldNot, .disputed, article: "L2CAP",
            sources: "LW connection_stages.rs; this project",
            """
            The client SHOULD NOT join the tunnel when the handshake over the channel is complete.
            """),
        Rule("HT-BLE-9", .must, .implied, article: "L2CAP",
            sources: "CR v2_discovery.cc; LW advertisement.rs",
            "The client MUST ignore the PSM of an advert that it cannot open."),
        Rule("HT-BLE-10", .should, .policy, article: "L2CAP",
            sources: "this project",
            """
            The client SHOULD be able to connect when an advert comes repeatedly, with its suffix, without it, \
            or with a changed one.
            """),
        Rule("HT-BLE-11", .must, .implied, article: "L2CAP",
            sources: "IJ23 (CTAP 2.3 section 11.5.1.1.2); LW connection_stages.rs",
            """
            The authenticator MUST accept the client in the tunnel although it has offered it the channel.
            """),
        Rule("HT-BLE-12", .should, .disputed, article: "L2CAP",
            sources: "this project",
            """
            The authenticator SHOULD accept the client over the channel although the tunnel service cannot be \
            reached.
            """),
        Rule("HT-BLE-13", .should, .disputed, article: "L2CAP",
            sources: "this project",
            """
            The authenticator SHOULD accept its client after another device has connected and sent no handshake \
            message.
            """),
        Rule("HT-BLE-14", .should, .disputed, article: "L2CAP",
            sources: "this project",
            """
            The authenticator SHOULD refuse further connections when its client has connected.
            """),
        Rule("HT-BLE-15", .shouldNot, .secondHand, article: "L2CAP",
            sources: "IJ23; LW",
            "An implementation SHOULD NOT use the channel in a state-assisted transaction."),
        Rule("HT-BLE-16", .must, .certain, article: "L2CAP",
            sources: "LW protocol.rs, PR 216; UC docs",
            """
            An implementation MUST send the same handshake, frames and messages through the channel as through \
            the tunnel.
            """),
        Rule("HT-BLE-17", .should, .disputed, article: "L2CAP",
            sources: "LW l2cap.rs, PR 216; UC src/l2cap.rs",
            "A sender SHOULD end each message in `0D 0A`."),
        Rule("HT-BLE-18", .must, .secondHand, article: "L2CAP",
            sources: "LW l2cap.rs (the CTAP 2.3 draft), PR 216",
            """
            A receiver MUST read messages that end in `0D 0A`, also if the terminator comes in an SDU of its own \
            or is split between SDUs.
            """),
        Rule("HT-BLE-19", .should, .disputed, article: "L2CAP",
            sources: "UC src/l2cap.rs; LW l2cap.rs",
            "A receiver SHOULD read messages that end with their SDU, without a terminator."),
        Rule("HT-BLE-20", .must, .secondHand, article: "L2CAP",
            sources: "Bluetooth Core Specification volume 3 part A section 3.4; LW l2cap.rs",
            "A receiver MUST read a message that comes in several SDUs, of whatever length."),
        Rule("HT-BLE-21", .must, .secondHand, article: "L2CAP",
            sources: "LW l2cap.rs (the CTAP 2.3 draft), PR 216",
            "A receiver MUST read several messages that come in one SDU."),
        Rule("HT-BLE-22", .shouldNot, .policy, article: "L2CAP",
            sources: "this project, measured",
            "A receiver SHOULD NOT take `0D 0A` inside a message for its end."),
        Rule("HT-BLE-23", .should, .policy, article: "L2CAP",
            sources: "this project",
            """
            A receiver SHOULD take the first 81 bytes for the handshake message, whatever is in them.
            """),
        Rule("HT-BLE-24", .should, .disputed, article: "L2CAP",
            sources: "LW l2cap.rs; this project",
            "A receiver SHOULD skip a terminator with no message before it."),
        Rule("HT-BLE-25", .may, .disputed, article: "L2CAP",
            sources: "this project",
            "A receiver MAY accept other marks between messages."),
        Rule("HT-BLE-26", .must, .implied, article: "L2CAP",
            sources: "CR v2_handshake.cc; LW l2cap.rs, protocol.rs",
            "A receiver MUST refuse bytes before a handshake message that are no terminator."),
        Rule("HT-BLE-27", .should, .policy, article: "L2CAP",
            sources: "this project",
            """
            A receiver SHOULD limit the bytes that it keeps and the work that it does in search of a message's \
            end.
            """),
        Rule("HT-BLE-28", .should, .secondHand, article: "L2CAP",
            sources: "LW l2cap.rs, PR 216",
            "A sender SHOULD wait until the MTU of the channel is known before it writes."),
        Rule("HT-LNK-1", .mustNot, .secondHand, article: "Linking",
            sources: "CR v2_authenticator.cc; UC linking.md, after CTAP 2.2 section 11.5.2",
            """
            An authenticator MUST NOT offer a link to a client whose QR code does not have key 4 `true`.
            """),
        Rule("HT-LNK-2", .must, .certain, article: "Linking",
            sources: """
            CR v2_authenticator.cc; UC linking.md, a table of CTAP 2.2 section 11.5.2; LW protocol.rs
            """,
            """
            An authenticator MUST send a linking map with the keys 1 to 6, of the types above.
            """),
        Rule("HT-LNK-3", .must, .certain, article: "Linking",
            sources: "CR v2_authenticator.cc; LW known_devices.rs; UC linking.md",
            """
            An authenticator MUST send a link ID of 8 bytes, a link secret of 32, a public key of 65 and a \
            signature of 32.
            """),
        Rule("HT-LNK-4", .must, .implied, article: "Linking",
            sources: "HT-TUN, the contact path has a contact ID",
            "An authenticator MUST offer a contact ID that is not empty."),
        Rule("HT-LNK-5", .must, .certain, article: "Linking",
            sources: "CR v2_authenticator.cc; LW protocol.rs; UC linking.md",
            "An authenticator MUST send its public key as an uncompressed point of P-256."),
        Rule("HT-LNK-6", .must, .certain, article: "Linking",
            sources: "CR v2_handshake.cc; LW protocol.rs; UC linking.md",
            """
            An authenticator MUST sign the linking map by the HMAC above, with the key that the map names, for \
            this client and this session.
            """),
        Rule("HT-LNK-7", .must, .certain, article: "Linking",
            sources: "CR, whose reader takes no other; LP3; UC linking.md",
            "An authenticator MUST send updates in CTAP2 canonical CBOR."),
        Rule("HT-LNK-8", .must, .implied, article: "Linking",
            sources: "CR v2_authenticator.cc; HT-STA, the secret opens adverts and handshake",
            "An authenticator MUST give each link a secret that cannot be guessed."),
        Rule("HT-LNK-9", .should, .secondHand, article: "Linking",
            sources: "CR v2_authenticator.cc; UC linking.md",
            """
            An authenticator SHOULD use a new link ID and secret for each client, under one public key.
            """),
        Rule("HT-LNK-10", .should, .secondHand, article: "Linking",
            sources: "CR v2_authenticator.cc",
            "An authenticator SHOULD offer one link in a session, in one update."),
        Rule("HT-LNK-11", .should, .implied, article: "Linking",
            sources: "this project",
            """
            An authenticator SHOULD offer the contact ID under which its tunnel service wakes it for this link.
            """),
        Rule("HT-LNK-12", .should, .policy, article: "Linking",
            sources: "this project",
            """
            An authenticator SHOULD complete the session without a link when its tunnel service gives no usable \
            contact ID.
            """),
        Rule("HT-LNK-13", .should, .policy, article: "Linking",
            sources: "this project",
            """
            An authenticator SHOULD end in bounded time when the client closes before a link was offered.
            """),
        Rule("HT-LNK-14", .should, .policy, article: "Linking",
            sources: "this project",
            """
            An implementation SHOULD cut a name to at most 128 bytes, between two characters.
            """),
        Rule("HT-LNK-15", .may, .disputed, article: "Linking",
            sources: "CR v2_authenticator.cc; LW takes sessions without one",
            """
            An authenticator MAY send one update in every session from a QR code, whether it links or not.
            """),
        Rule("HT-LNK-16", .should, .disputed, article: "Linking",
            sources: "CR v2_authenticator.cc; WR, another moment seen",
            "An authenticator SHOULD send its update right after the first message."),
        Rule("HT-LNK-17", .should, .secondHand, article: "Linking",
            sources: "CR v2_authenticator.cc",
            """
            An authenticator SHOULD fill the plaintext of an update, type byte included, to 512 bytes, or to a \
            multiple of 512 where the map is longer.
            """),
        Rule("HT-LNK-18", .should, .secondHand, article: "Linking",
            sources: "CR v2_authenticator.cc; UC linking.md",
            "An authenticator SHOULD fill an update with zeros under key 0."),
        Rule("HT-LNK-19", .mustNot, .secondHand, article: "Linking",
            sources: "UC linking.md, a table of CTAP 2.2; CR v2_authenticator.cc",
            "An authenticator MUST NOT send an update with other keys than 0 and 1."),
        Rule("HT-LNK-20", .must, .certain, article: "Linking",
            sources: "LW protocol.rs; CR fido_tunnel_device.cc",
            "A client MUST accept an update of any length."),
        Rule("HT-LNK-21", .must, .certain, article: "Linking",
            sources: "CR pairing.cc, key 999 from Play Services; LW protocol.rs, which ignores it",
            """
            A client MUST ignore keys of an update, and of a linking map, that it does not know.
            """),
        Rule("HT-LNK-22", .must, .certain, article: "Linking",
            sources: "WR, whose authenticator sends none; LW; CR",
            "A client MUST complete a session in which no update comes."),
        Rule("HT-LNK-23", .must, .certain, article: "Linking",
            sources: "CR pairing.cc; LW protocol.rs",
            "A client MUST drop linking data in which one of the keys 1 to 6 is missing."),
        Rule("HT-LNK-24", .must, .certain, article: "Linking",
            sources: "CR pairing.cc; LW protocol.rs",
            """
            A client MUST drop linking data in which one of the keys 1 to 6 has another type.
            """),
        Rule("HT-LNK-25", .must, .certain, article: "Linking",
            sources: "CR pairing.cc; LW known_devices.rs",
            """
            A client MUST drop linking data whose public key has another length than 65 bytes.
            """),
        Rule("HT-LNK-26", .must, .secondHand, article: "Linking",
            sources: """
            UC linking.md, a table of CTAP 2.2 section 11.5.2; LW known_devices.rs; CR, whose phone takes a link \
            ID of 8 bytes only
            """,
            """
            A client MUST drop linking data whose link ID has not 8 bytes, or whose link secret has not 32.
            """),
        Rule("HT-LNK-27", .must, .implied, article: "Linking",
            sources: "CR; LW, which compare it with 32 bytes",
            """
            A client MUST drop linking data whose signature has another length than 32 bytes.
            """),
        Rule("HT-LNK-28", .must, .implied, article: "Linking",
            sources: "HT-TUN, the contact path has a contact ID",
            "A client MUST drop linking data whose contact ID is empty."),
        Rule("HT-LNK-29", .must, .certain, article: "Linking",
            sources: "CR v2_handshake.cc; LW; SEC 1 section 3.2.2",
            """
            A client MUST drop linking data whose public key is not a point of the curve, before it uses the \
            key.
            """),
        Rule("HT-LNK-30", .must, .certain, article: "Linking",
            sources: "CR v2_handshake.cc; LW protocol.rs; UC linking.md",
            "A client MUST drop linking data whose signature is not the HMAC above."),
        Rule("HT-LNK-31", .should, .policy, article: "Linking",
            sources: "this project; CR",
            "A client SHOULD compare the signature in constant time."),
        Rule("HT-LNK-32", .should, .implied, article: "Linking",
            sources: "CR; LW, which set no bound",
            "A client SHOULD accept a name of any length, also an empty one."),
        Rule("HT-LNK-33", .should, .disputed, article: "Linking",
            sources: "LW protocol.rs goes on; CR and SP (second-hand) end the connection",
            "A client SHOULD go on with a session whose linking data it drops."),
        Rule("HT-LNK-34", .shouldNot, .disputed, article: "Linking",
            sources: "this project; this project measured that Chromium 156 discards them",
            "A client SHOULD NOT keep linking data if its QR code did not have key 4 `true`."),
        Rule("HT-LNK-35", .should, .disputed, article: "Linking",
            sources: "this project",
            """
            A client SHOULD keep the first good linking data of a session and drop what follows.
            """),
        Rule("HT-LNK-36", .mustNot, .implied, article: "Linking",
            sources: "this project; the signature proves the owner of the key",
            "A client MUST NOT replace good linking data by bad."),
        Rule("HT-LNK-37", .must, .certain, article: "Linking",
            sources: "CR fido_tunnel_device.cc; LW known_devices.rs; MS",
            "A client MUST keep the tunnel domain of the session's advert with the link."),
        Rule("HT-LNK-38", .must, .certain, article: "Linking",
            sources: "CR pairing.cc; LW known_devices.rs, whose store is indexed by the key",
            "A client MUST replace a link by a later one of the same public key."),
        Rule("HT-LNK-39", .must, .certain, article: "Linking",
            sources: "CR v2_handshake.cc; LW protocol.rs",
            """
            A client MUST take contact ID, link ID, secret and name from the map although the signature does not \
            cover them.
            """),
        Rule("HT-LNK-40", .must, .implied, article: "Linking",
            sources: "CR fido_tunnel_device.cc; LW; such data have none of the keys",
            "A client MUST drop linking data that are not a map."),
        Rule("HT-LNK-41", .should, .policy, article: "Linking",
            sources: "this project; WR saw Android offer once the user had accepted",
            "An authenticator SHOULD ask its user before it offers a link."),
        Rule("HT-LNK-42", .shouldNot, .policy, article: "Linking",
            sources: "this project, measured with LW",
            """
            An authenticator SHOULD NOT send an update without linking data over L2CAP to a client that did not \
            offer linking.
            """),
        Rule("HT-MSG-1", .must, .certain, article: "Messages",
            sources: """
            CR fido_tunnel_device.cc, v2_authenticator.cc; WR tunnel.rs; LW protocol.rs; MG \
            HybridAuthenticatorController.kt
            """,
            """
            The authenticator MUST send its first message right after message 2 of the handshake, without being \
            asked.
            """),
        Rule("HT-MSG-2", .must, .certain, article: "Messages",
            sources: "CR fido_tunnel_device.cc, v2_authenticator.cc; WR tunnel.rs; LW protocol.rs; IJB",
            """
            The authenticator MUST send as first message a CBOR map without a type byte in front.
            """),
        Rule("HT-MSG-3", .must, .certain, article: "Messages",
            sources: "CR fido_tunnel_device.cc, v2_authenticator.cc; LW protocol.rs; IJB",
            """
            The authenticator MUST put its encoded getInfo response into key 1 of the first message as a byte \
            string, without a status byte.
            """),
        Rule("HT-MSG-4", .should, .secondHand, article: "Messages",
            sources: "CR fido_tunnel_device.cc",
            """
            The authenticator SHOULD list the feature `ctap`, if it lists any, when it sends a getInfo response.
            """),
        Rule("HT-MSG-5", .must, .certain, article: "Messages",
            sources: "CR fido_tunnel_device.cc; LW protocol.rs",
            "The client MUST refuse a first message that is not one CBOR map."),
        Rule("HT-MSG-6", .must, .certain, article: "Messages",
            sources: "CR fido_tunnel_device.cc; LW protocol.rs; WR tunnel.rs",
            """
            The client MUST infer the feature `ctap`, and no other, from a first message without key 3.
            """),
        Rule("HT-MSG-7", .must, .certain, article: "Messages",
            sources: "CR fido_tunnel_device.cc; LW protocol.rs",
            """
            The client MUST refuse a first message that has the feature `ctap`, listed or inferred, and no \
            getInfo response.
            """),
        Rule("HT-MSG-8", .should, .secondHand, article: "Messages",
            sources: "CR fido_tunnel_device.cc",
            """
            The client SHOULD refuse a first message with a getInfo response whose features lack `ctap`.
            """),
        Rule("HT-MSG-9", .must, .certain, article: "Messages",
            sources: "CR fido_tunnel_device.cc; LW protocol.rs; MG",
            "The client MUST ignore features that it does not know."),
        Rule("HT-MSG-10", .should, .secondHand, article: "Messages",
            sources: "CR fido_tunnel_device.cc",
            "The client SHOULD ignore keys of the first message that it does not know."),
        Rule("HT-MSG-11", .must, .certain, article: "Messages",
            sources: "CR fido_tunnel_device.cc; LW protocol.rs `CableInitialMessage`",
            "The client MUST ignore the filler in key 0, whatever its length."),
        Rule("HT-MSG-12", .must, .certain, article: "Messages",
            sources: "CR fido_tunnel_device.cc; LW protocol.rs",
            "The client MUST refuse a getInfo response in key 1 that is not a byte string."),
        Rule("HT-MSG-13", .must, .certain, article: "Messages",
            sources: "CR fido_tunnel_device.cc; LW protocol.rs",
            "The client MUST refuse a getInfo response that is not one CBOR map."),
        Rule("HT-MSG-14", .must, .certain, article: "Messages",
            sources: "CR fido_tunnel_device.cc; LW protocol.rs",
            "The client MUST refuse features in key 3 that are not an array."),
        Rule("HT-MSG-15", .should, .secondHand, article: "Messages",
            sources: "CR fido_tunnel_device.cc",
            "The client SHOULD refuse linking data in key 2 that is not a map."),
        Rule("HT-MSG-16", .must, .certain, article: "Messages",
            sources: """
            CR v2_authenticator.cc, fido_tunnel_device.cc; WR framing.rs; LW protocol.rs; MG; LP3
            """,
            "A sender MUST begin each message after the first message with its type byte."),
        Rule("HT-MSG-17", .must, .certain, article: "Messages",
            sources: "CR fido_tunnel_device.cc; LW protocol.rs",
            """
            A receiver MUST refuse a message of a type other than 0, 1, 2 and 3, and end the session.
            """),
        Rule("HT-MSG-18", .must, .certain, article: "Messages",
            sources: "CR fido_tunnel_device.cc; LW protocol.rs",
            """
            A receiver MUST refuse a message that has not even a type byte, and end the session.
            """),
        Rule("HT-MSG-19", .must, .implied, article: "Messages",
            sources: "LW protocol.rs; this project",
            "The client MUST refuse a CTAP answer without a status byte, and end the session."),
        Rule("HT-MSG-20", .mustNot, .implied, article: "Messages",
            sources: "CR fido_tunnel_device.cc; LW protocol.rs",
            "The client MUST NOT send a request while another one is unanswered."),
        Rule("HT-MSG-21", .should, .policy, article: "Messages",
            sources: "this project",
            """
            The authenticator SHOULD refuse a second request that comes before it has answered the first.
            """),
        Rule("HT-MSG-22", .must, .certain, article: "Messages",
            sources: "CR fido_tunnel_device.cc, v2_authenticator.cc; WR tunnel.rs; LW protocol.rs",
            "The authenticator MUST answer a request by one message of the request's type."),
        Rule("HT-MSG-23", .should, .secondHand, article: "Messages",
            sources: "CR fido_tunnel_device.cc",
            """
            The client SHOULD refuse an answer to no request, one that comes before the request included.
            """),
        Rule("HT-MSG-24", .must, .certain, article: "Messages",
            sources: "CR fido_tunnel_device.cc; LW protocol.rs",
            "The client MUST refuse a JSON answer to a CTAP request."),
        Rule("HT-MSG-25", .should, .secondHand, article: "Messages",
            sources: "CR fido_tunnel_device.cc",
            "The client SHOULD refuse a CTAP answer to a JSON request."),
        Rule("HT-MSG-26", .mustNot, .implied, article: "Messages",
            sources: "CR fido_tunnel_device.cc; IJ23",
            "The client MUST NOT send a CTAP request in a session without the feature `ctap`."),
        Rule("HT-MSG-27", .must, .certain, article: "Messages",
            sources: "CR fido_tunnel_device.cc; WR tunnel.rs; LW protocol.rs; IJB",
            """
            The client MUST accept updates at any time after the first message, also between a request and its \
            answer.
            """),
        Rule("HT-MSG-28", .should, .disputed, article: "Messages",
            sources: "CR fido_tunnel_device.cc; WR tunnel.rs; MG; LW protocol.rs",
            "The client SHOULD send a shutdown when it needs no further answer."),
        Rule("HT-MSG-29", .must, .certain, article: "Messages",
            sources: "CR fido_tunnel_device.cc; LW protocol.rs; MG; UC docs",
            """
            The client MUST close its channel when it has the answers that it needs and waits for no update.
            """),
        Rule("HT-MSG-30", .mustNot, .implied, article: "Messages",
            sources: "CR fido_tunnel_device.cc; WR tunnel.rs",
            "The client MUST NOT send a message after its shutdown."),
        Rule("HT-MSG-31", .must, .certain, article: "Messages",
            sources: "CR fido_tunnel_device.cc; WR framing.rs; LW protocol.rs",
            "A sender MUST send a shutdown as its type byte alone."),
        Rule("HT-MSG-32", .must, .certain, article: "Messages",
            sources: "CR v2_authenticator.cc; WR tunnel.rs; MG HybridAuthenticatorController.kt",
            "The authenticator MUST end the session on a shutdown."),
        Rule("HT-MSG-33", .should, .disputed, article: "Messages",
            sources: "this project",
            "The authenticator SHOULD end the session on a shutdown that carries a payload."),
        Rule("HT-MSG-34", .must, .certain, article: "Messages",
            sources: "LW protocol.rs; MG; WR tunnel.rs",
            """
            The authenticator MUST take a client's closing after an answer, without a shutdown, for the orderly \
            end of the session.
            """),
        Rule("HT-MSG-35", .shouldNot, .disputed, article: "Messages",
            sources: "CR fido_tunnel_device.cc; WR tunnel.rs",
            "The authenticator SHOULD NOT send a shutdown."),
        Rule("HT-MSG-36", .should, .disputed, article: "Messages",
            sources: "LW protocol.rs; WR tunnel.rs; CR fido_tunnel_device.cc",
            "The client SHOULD end the session on a shutdown of the authenticator."),
        Rule("HT-MSG-37", .must, .implied, article: "Messages",
            sources: "CR fido_tunnel_device.cc; this project",
            "A receiver MUST refuse every message after the one that has ended the session."),
        Rule("HT-MSG-38", .must, .certain, article: "Messages",
            sources: "CR fido_tunnel_device.cc; WR tunnel.rs; LW protocol.rs",
            "An implementation MUST end the session when its data channel is closed or lost."),
        Rule("HT-MSG-39", .should, .policy, article: "Messages",
            sources: "this project",
            """
            An implementation SHOULD limit the time that it waits for each message of its peer.
            """),
        Rule("HT-MSG-40", .should, .policy, article: "Messages",
            sources: "this project",
            "An implementation SHOULD accept a message that comes a few seconds late."),
        Rule("HT-MSG-41", .should, .certain, article: "Messages",
            sources: """
            CR fido_tunnel_device.cc, v2_handshake.cc `DecodePaddedCBORMap`; TD cable_core.cpp
            """,
            """
            The client SHOULD take a first message that is a CBOR map without a remainder for revision 1, and \
            try the paddings of revision 0 on any other.
            """),
        Rule("HT-MSG-42", .should, .certain, article: "Messages",
            sources: "CR v2_handshake.cc `DecodePaddedCBORMap*`; WR tunnel.rs; TD cable_core.cpp",
            """
            The client SHOULD read the padding of revision 0 since Chrome 99: the number of zeros, \
            little-endian, in the last two bytes.
            """),
        Rule("HT-MSG-43", .should, .certain, article: "Messages",
            sources: "CR v2_handshake.cc `DecodePaddedCBORMap*`; TD cable_core.cpp",
            """
            The client SHOULD read the padding of revision 0 before Chrome 99: the number of zeros in the last \
            byte.
            """),
        Rule("HT-MSG-44", .must, .certain, article: "Messages",
            sources: "CR fido_tunnel_device.cc; TD cable_core.cpp; LW protocol.rs",
            """
            The client MUST refuse a first message that is a CBOR map neither as it is nor without a padding of \
            revision 0.
            """),
        Rule("HT-MSG-45", .must, .certain, article: "Messages",
            sources: "CR fido_tunnel_device.cc; WR framing.rs; TD cable_core.cpp",
            """
            The client MUST send bare CTAP and nothing else after a first message of revision 0, without type \
            bytes and without a shutdown.
            """),
        Rule("HT-MSG-46", .should, .disputed, article: "Messages",
            sources: "CR fido_tunnel_device.cc; LW protocol.rs",
            """
            The client SHOULD refuse an update that is not one CBOR map, and end the session.
            """),
        Rule("HT-MSG-47", .should, .secondHand, article: "Messages",
            sources: "CR fido_tunnel_device.cc; this project, measured",
            """
            The client SHOULD process a linking map in key 2 of the first message as it does one in an update.
            """),
        Rule("HT-MSG-48", .should, .secondHand, article: "Messages",
            sources: "IJ22 (CTAP 2.2 section 11.5.1)",
            "The authenticator SHOULD refuse an update from the client."),
        Rule("HT-MSG-49", .should, .secondHand, article: "Messages",
            sources: "CR fido_tunnel_device.cc; LW protocol.rs; UC docs",
            "The client SHOULD accept updates for some time after its own shutdown."),
        Rule("HT-MSG-50", .should, .disputed, article: "Messages",
            sources: "LW protocol.rs; this project",
            "The client SHOULD refuse features in key 3 with an element that is not text."),
        Rule("HT-QR-1", .must, .certain, article: "QRCode",
            sources: "CR v2_handshake.cc `qr::Encode`; WR handshake.rs; FX; SK",
            """
            The client MUST begin the text of its QR code with `FIDO:/`, in upper case and with one slash.
            """),
        Rule("HT-QR-2", .must, .certain, article: "QRCode",
            sources: "CR v2_handshake.cc `qr::Parse`; WR handshake.rs tests",
            """
            The authenticator MUST refuse a text that does not begin with the characters `FIDO:/`.
            """),
        Rule("HT-QR-3", .should, .disputed, article: "QRCode",
            sources: "CR v2_handshake.cc `qr::Parse`; WR handshake.rs; FX; SK",
            """
            The authenticator SHOULD accept the prefix `FIDO:/` in any mixture of upper and lower case.
            """),
        Rule("HT-QR-4", .must, .certain, article: "QRCode",
            sources: "CR v2_handshake.cc `qr::Parse`; WR base10.rs; WR handshake.rs tests",
            """
            The authenticator MUST refuse a text with a character after the prefix that is not one of the ASCII \
            digits 0 to 9.
            """),
        Rule("HT-QR-5", .must, .certain, article: "QRCode",
            sources: """
            CR v2_handshake.cc `BytesToDigits`; WR base10.rs; LW digit_encode.rs; FX base10 tests; TD; MG \
            QrCodeData.kt
            """,
            """
            The client MUST write each chunk of 7 bytes, read as a little-endian integer, as 17 decimal digits \
            with leading zeros.
            """),
        Rule("HT-QR-6", .must, .certain, article: "QRCode",
            sources: """
            CR v2_handshake.cc `BytesToDigits`; WR base10.rs; LW digit_encode.rs; FX base10 tests
            """,
            """
            The client MUST write a last chunk of 1 to 6 bytes as 3, 5, 8, 10, 13 or 15 decimal digits, with \
            leading zeros.
            """),
        Rule("HT-QR-7", .must, .certain, article: "QRCode",
            sources: "CR v2_handshake.cc `DigitsToBytes`; WR base10.rs; FX base10 tests",
            """
            The authenticator MUST read 17 digits at a time, then the rest, into the bytes of which they were \
            made.
            """),
        Rule("HT-QR-8", .must, .certain, article: "QRCode",
            sources: "CR v2_handshake.cc `DigitsToBytes`; WR base10.rs",
            """
            The authenticator MUST refuse a text whose digits after the last group of 17 are not 0, 3, 5, 8, 10, \
            13 or 15 in number.
            """),
        Rule("HT-QR-9", .must, .certain, article: "QRCode",
            sources: "CR v2_handshake.cc `DigitsToBytes`; WR base10.rs",
            """
            The authenticator MUST refuse a group of digits whose value does not fit into the number of bytes \
            that it stands for.
            """),
        Rule("HT-QR-10", .should, .policy, article: "QRCode",
            sources: "ISO/IEC 18004; this project",
            """
            The authenticator SHOULD refuse a text of more than 7,089 digits before it reads them.
            """),
        Rule("HT-QR-11", .must, .secondHand, article: "QRCode",
            sources: "CTAP 2.1 section 8; CR v2_handshake.cc `qr::Encode`; WR handshake.rs",
            "The client MUST encode the contents as one CBOR map in CTAP2 canonical form."),
        Rule("HT-QR-12", .must, .certain, article: "QRCode",
            sources: "CR v2_handshake.cc `qr::Parse`; WR handshake.rs tests; RFC 8949 section 3",
            """
            The authenticator MUST refuse a QR code whose contents are not exactly one well-formed CBOR item \
            that is a map.
            """),
        Rule("HT-QR-13", .should, .secondHand, article: "QRCode",
            sources: "CTAP 2.1 section 8; CR",
            """
            The authenticator SHOULD refuse contents that are a map but not in canonical form, or in which a key \
            occurs twice.
            """),
        Rule("HT-QR-14", .must, .certain, article: "QRCode",
            sources: "RFC 8949 section 3; CR; WR",
            """
            The authenticator MUST refuse contents that state a length or a number of entries beyond their end.
            """),
        Rule("HT-QR-15", .must, .certain, article: "QRCode",
            sources: "CTAP 2.1 section 8; CR; WR",
            """
            The authenticator MUST refuse, without exhausting its stack, contents that are nested deeper than it \
            can read.
            """),
        Rule("HT-QR-16", .must, .certain, article: "QRCode",
            sources: "RFC 8949 section 3.1; CR; WR",
            "The authenticator MUST refuse contents in which a text is not UTF-8."),
        Rule("HT-QR-17", .must, .certain, article: "QRCode",
            sources: "CR v2_handshake_unittest.cc; WR handshake.rs",
            """
            The authenticator MUST ignore keys of the map that it does not know, whatever their type and value.
            """),
        Rule("HT-QR-18", .may, .secondHand, article: "QRCode",
            sources: "IJ22; IJ23",
            "The client MAY add an unknown key with a random number to the map."),
        Rule("HT-QR-19", .should, .policy, article: "QRCode",
            sources: "this project",
            "The authenticator SHOULD accept contents of any length that a QR code can hold."),
        Rule("HT-QR-20", .must, .certain, article: "QRCode",
            sources: "CR v2_handshake.cc `qr::Encode`; WR handshake.rs; LW qr_code_device.rs",
            """
            The client MUST put its static P-256 public key under key 0, as a compressed point of 33 bytes.
            """),
        Rule("HT-QR-21", .must, .certain, article: "QRCode",
            sources: "CR v2_handshake.cc `qr::Encode`; WR handshake.rs; LW qr_code_device.rs",
            "The client MUST put a secret of 16 bytes under key 1."),
        Rule("HT-QR-22", .must, .certain, article: "QRCode",
            sources: "CR; WR discovery.rs; LW qr_code_device.rs",
            "The client MUST make a new key pair and a new random secret for every QR code."),
        Rule("HT-QR-23", .must, .certain, article: "QRCode",
            sources: "CR v2_handshake.cc `qr::Parse`; WR handshake.rs",
            "The authenticator MUST refuse a QR code without key 0 or without key 1."),
        Rule("HT-QR-24", .must, .certain, article: "QRCode",
            sources: "CR v2_handshake.cc `qr::Parse`; WR handshake.rs",
            "The authenticator MUST refuse a key 0 that is not a byte string."),
        Rule("HT-QR-25", .must, .certain, article: "QRCode",
            sources: "CR v2_handshake.cc `qr::Parse`; CR v2_handshake_unittest.cc; WR handshake.rs",
            """
            The authenticator MUST refuse a key 0 whose bytes are not the encoding of a point of P-256.
            """),
        Rule("HT-QR-26", .should, .secondHand, article: "QRCode",
            sources: "CR v2_handshake.cc `qr::Parse`",
            "The authenticator SHOULD refuse a key 0 in the uncompressed form of 65 bytes."),
        Rule("HT-QR-27", .must, .certain, article: "QRCode",
            sources: "CR v2_handshake.cc `qr::Parse`; WR handshake.rs",
            "The authenticator MUST refuse a key 1 that is not a byte string of 16 bytes."),
        Rule("HT-QR-28", .must, .secondHand, article: "QRCode",
            sources: "IJ22; CR; FX",
            """
            The client MUST put the number of assigned tunnel domains that it knows under key 2.
            """),
        Rule("HT-QR-29", .should, .disputed, article: "QRCode",
            sources: "CR v2_handshake.cc `qr::Parse`; WR handshake.rs; FX",
            "The authenticator SHOULD accept a QR code without key 2."),
        Rule("HT-QR-30", .must, .certain, article: "QRCode",
            sources: "CR v2_handshake_unittest.cc; WR handshake.rs",
            """
            The authenticator MUST accept any unsigned integer under key 2, also one above the 2 of today.
            """),
        Rule("HT-QR-31", .must, .certain, article: "QRCode",
            sources: "CR v2_handshake_unittest.cc; FX",
            "The authenticator MUST refuse a key 2 that is not an unsigned integer."),
        Rule("HT-QR-32", .must, .secondHand, article: "QRCode",
            sources: "IJ22; CR v2_handshake.cc `qr::Encode`",
            """
            The client MUST put the time at which it made the QR code under key 3, in seconds since 1970.
            """),
        Rule("HT-QR-33", .must, .certain, article: "QRCode",
            sources: "CR v2_handshake_unittest.cc; WR handshake.rs",
            "The authenticator MUST accept a QR code without key 3."),
        Rule("HT-QR-34", .shouldNot, .disputed, article: "QRCode",
            sources: "CR; WR handshake.rs",
            "The authenticator SHOULD NOT refuse a QR code because of the value of key 3."),
        Rule("HT-QR-35", .should, .disputed, article: "QRCode",
            sources: "CR v2_handshake.cc `qr::Encode`; WR handshake.rs; LW qr_code_device.rs",
            "The client SHOULD state key 4 always, also where it is false."),
        Rule("HT-QR-36", .must, .certain, article: "QRCode",
            sources: "CR v2_handshake.cc `qr::Parse`; WR handshake.rs; LW qr_code_device.rs",
            "The authenticator MUST accept a QR code without key 4."),
        Rule("HT-QR-37", .must, .certain, article: "QRCode",
            sources: "CR v2_handshake_unittest.cc; WR handshake.rs",
            "The authenticator MUST accept a QR code with the value true under key 4."),
        Rule("HT-QR-38", .should, .disputed, article: "QRCode",
            sources: "CR v2_handshake_unittest.cc; WR handshake.rs",
            "The authenticator SHOULD refuse a key 4 that is not a bool."),
        Rule("HT-QR-39", .must, .secondHand, article: "QRCode",
            sources: "IJ22; IJ23; CR v2_handshake.cc `qr::Encode`; FX",
            """
            The client MUST put the kind of its request under key 5: `ga`, `mc`, `dcp` or `dci`.
            """),
        Rule("HT-QR-40", .must, .certain, article: "QRCode",
            sources: "CR v2_handshake_unittest.cc; WR handshake.rs",
            "The authenticator MUST treat a hint that it does not know as `ga`."),
        Rule("HT-QR-41", .should, .disputed, article: "QRCode",
            sources: "CR v2_handshake.cc `qr::Parse`; WR handshake.rs; FX",
            """
            The authenticator SHOULD treat a QR code without key 5 as one with the hint `ga`.
            """),
        Rule("HT-QR-42", .must, .certain, article: "QRCode",
            sources: "CR v2_handshake_unittest.cc; FX",
            "The authenticator MUST refuse a key 5 that is not text."),
        Rule("HT-QR-43", .mustNot, .secondHand, article: "QRCode",
            sources: "CR v2_authenticator.cc; MG",
            """
            The authenticator MUST NOT take the hint for a limit: it serves makeCredential after `ga`, and \
            getAssertion after `mc`.
            """),
        Rule("HT-QR-44", .should, .secondHand, article: "QRCode",
            sources: "IJ23; UC l2cap-channel.md",
            "The client SHOULD list the WebSocket, 0, in key 6 if it sends key 6 at all."),
        Rule("HT-QR-45", .should, .secondHand, article: "QRCode",
            sources: "LW qr_code_device.rs",
            "The client SHOULD leave out key 6 if it offers the WebSocket alone."),
        Rule("HT-QR-46", .must, .secondHand, article: "QRCode",
            sources: "IJ23; LW qr_code_device.rs; UC l2cap-channel.md",
            """
            The authenticator MUST take the numbers in key 6 for the data channels that the client offers: 0 \
            WebSocket, 1 BLE.
            """),
        Rule("HT-QR-47", .must, .secondHand, article: "QRCode",
            sources: "IJ23; LW qr_code_device.rs",
            """
            The authenticator MUST take a QR code without key 6 for an offer of the WebSocket alone.
            """),
        Rule("HT-QR-48", .must, .certain, article: "QRCode",
            sources: "WR handshake.rs; LW qr_code_device.rs",
            "The authenticator MUST take a bool under key 6 for an absent key 6."),
        Rule("HT-QR-49", .should, .disputed, article: "QRCode",
            sources: "this project; SK",
            """
            The authenticator SHOULD skip channels in key 6 that it does not know, and take one that is listed \
            twice for one.
            """),
        Rule("HT-QR-50", .should, .disputed, article: "QRCode",
            sources: "this project; CR",
            """
            The authenticator SHOULD refuse a QR code whose key 6 lists no channel that it knows.
            """),
        Rule("HT-QR-51", .should, .disputed, article: "QRCode",
            sources: "this project; WR handshake.rs",
            """
            The authenticator SHOULD refuse a key 6 that is neither a bool nor an array of unsigned integers.
            """),
        Rule("HT-QR-52", .should, .policy, article: "QRCode",
            sources: "this project",
            "The client SHOULD keep the text of its QR code below 300 characters."),
        Rule("HT-QR-53", .should, .policy, article: "QRCode",
            sources: "CR qr_code_generator_ffi_glue.rs; this project",
            """
            The client SHOULD draw the QR code at error correction level M and in version 5 or above.
            """),
        Rule("HT-QR-54", .must, .certain, article: "QRCode",
            sources: "CR v2_handshake_unittest.cc KnownQRs; WR handshake.rs tests",
            """
            The authenticator MUST accept a code with keys 0 to 5 as browsers write them, whatever point and \
            secret it holds.
            """),
        Rule("HT-QR-55", .may, .policy, article: "QRCode",
            sources: "this project; WebAuthn Level 3 section 15.1",
            """
            The authenticator MAY refuse a QR code that by its time is more than 12 minutes old, or was made \
            more than 2 minutes from now.
            """),
        Rule("HT-STA-1", .must, .certain, article: "StateAssistedTransactions",
            sources: "CR v2_handshake.cc; LW known_devices.rs; UC linking.md",
            """
            A linked client MUST send a client payload with link ID, nonce and hint under the keys 1, 2 and 3.
            """),
        Rule("HT-STA-2", .must, .certain, article: "StateAssistedTransactions",
            sources: "CR; LW known_devices.rs; UC linking.md",
            """
            A linked client MUST name the link ID, of 8 bytes, that its authenticator gave it.
            """),
        Rule("HT-STA-3", .must, .certain, article: "StateAssistedTransactions",
            sources: "CR fido_tunnel_device.cc; LW known_devices.rs; UC linking.md",
            """
            A linked client MUST draw a new random nonce of 16 bytes for each contact request.
            """),
        Rule("HT-STA-4", .must, .secondHand, article: "StateAssistedTransactions",
            sources: "LW known_devices.rs, which quotes the specification; CR; UC linking.md",
            """
            A linked client MUST send the hint `ga` before getAssertion, or `mc` before makeCredential.
            """),
        Rule("HT-STA-5", .must, .secondHand, article: "StateAssistedTransactions",
            sources: """
            UC linking.md, after CTAP 2.2 section 11.5.2; CR, whose reader takes no other CBOR
            """,
            """
            A linked client MUST send the client payload in CTAP2 canonical CBOR, with no other keys.
            """),
        Rule("HT-STA-6", .mustNot, .implied, article: "StateAssistedTransactions",
            sources: """
            the secret opens the advert and the handshake, and the tunnel service reads the payload
            """,
            "A linked client MUST NOT send its link secret."),
        Rule("HT-STA-7", .should, .implied, article: "StateAssistedTransactions",
            sources: "LW known_devices.rs, \"a hint that a getAssertion will follow\"",
            "A linked client SHOULD send the command that its hint announced."),
        Rule("HT-STA-8", .must, .certain, article: "StateAssistedTransactions",
            sources: "CR fido_tunnel_device.cc; LW known_devices.rs; UC linking.md",
            """
            A linked client MUST delete a link when the contact request is answered with 410.
            """),
        Rule("HT-STA-9", .must, .certain, article: "StateAssistedTransactions",
            sources: """
            CR fido_tunnel_device.cc; LW known_devices.rs; this project, measured (503, libwebauthn)
            """,
            "A linked client MUST keep a link on any other status, and when no answer comes."),
        Rule("HT-STA-10", .must, .certain, article: "StateAssistedTransactions",
            sources: "CR fido_tunnel_device.cc; LW known_devices.rs, which take the status alone",
            """
            A linked client MUST keep a link on any Close frame, and when the session fails after an answer with \
            101.
            """),
        Rule("HT-STA-11", .should, .secondHand, article: "StateAssistedTransactions",
            sources: "CR fido_tunnel_device.cc, v2_discovery.cc",
            """
            A client SHOULD serve the session of its QR code also while a contact request waits or has failed.
            """),
        Rule("HT-STA-12", .must, .certain, article: "StateAssistedTransactions",
            sources: "CR; LW; UC linking.md",
            "An implementation MUST be able to use a link for more than one session."),
        Rule("HT-STA-13", .should, .disputed, article: "StateAssistedTransactions",
            sources: "CR; UC linking.md",
            """
            A linked client SHOULD ask those of its linked authenticators that its user may mean.
            """),
        Rule("HT-STA-14", .should, .secondHand, article: "StateAssistedTransactions",
            sources: "LW known_devices.rs; UC linking.md",
            "A linked client SHOULD ask for its linked authenticator in its next session."),
        Rule("HT-STA-15", .must, .implied, article: "StateAssistedTransactions",
            sources: "CR v2_registration.cc; without it there is no link secret",
            "An authenticator MUST refuse a client payload without a link ID of 8 bytes."),
        Rule("HT-STA-16", .must, .implied, article: "StateAssistedTransactions",
            sources: """
            without it there is no link secret. An authenticator that derives its secrets sees the mistake in \
            message 1 alone
            """,
            """
            An authenticator MUST refuse a client payload with a link ID that it did not give.
            """),
        Rule("HT-STA-17", .must, .implied, article: "StateAssistedTransactions",
            sources: "CR v2_registration.cc; without it there is no key of the advert",
            "An authenticator MUST refuse a client payload without a nonce of 16 bytes."),
        Rule("HT-STA-18", .should, .secondHand, article: "StateAssistedTransactions",
            sources: "CR v2_registration.cc",
            """
            An authenticator SHOULD refuse a client payload whose hint is missing or is neither `ga` nor `mc`.
            """),
        Rule("HT-STA-19", .must, .implied, article: "StateAssistedTransactions",
            sources: "CR v2_registration.cc; without the map there is no link ID",
            "An authenticator MUST refuse a client payload that is not one map in CBOR."),
        Rule("HT-STA-20", .should, .secondHand, article: "StateAssistedTransactions",
            sources: "CR v2_registration.cc, whose reader refuses both",
            """
            An authenticator SHOULD refuse a client payload that is not canonical CBOR, or has a remainder.
            """),
        Rule("HT-STA-21", .should, .secondHand, article: "StateAssistedTransactions",
            sources: "CR v2_registration.cc",
            "An authenticator SHOULD ignore keys of a client payload that it does not know."),
        Rule("HT-STA-22", .must, .implied, article: "StateAssistedTransactions",
            sources: "CR v2_registration.cc",
            """
            A receiver of a client payload MUST refuse one that is not pairs of hexadecimal digits.
            """),
        Rule("HT-STA-23", .must, .certain, article: "StateAssistedTransactions",
            sources: "CR, upper case; LW, lower case",
            "An implementation MUST accept a client payload in digits of either case."),
        Rule("HT-STA-24", .should, .policy, article: "StateAssistedTransactions",
            sources: "this project",
            "An authenticator SHOULD refuse a client payload of more than 256 bytes."),
        Rule("HT-STA-25", .should, .disputed, article: "StateAssistedTransactions",
            sources: """
            CR v2_authenticator.cc. The hint is not authenticated, good for preparing a screen and no more
            """,
            """
            An authenticator SHOULD serve a client that sends another command than its hint announced.
            """),
        Rule("HT-STA-26", .should, .policy, article: "StateAssistedTransactions",
            sources: "this project",
            """
            An authenticator that is told the contact ID of a wake SHOULD refuse one that it did not offer.
            """),
        Rule("HT-STA-27", .shouldNot, .disputed, article: "StateAssistedTransactions",
            sources: "this project",
            "An authenticator SHOULD NOT answer a contact request a second time."),
        Rule("HT-STA-28", .must, .secondHand, article: "StateAssistedTransactions",
            sources: """
            CR v2_authenticator.cc, v2_registration.cc; a message from the tunnel is what it is woken for
            """,
            """
            An authenticator that is woken MUST join the tunnel that it is told, at `/cable/connect/`, under the \
            rules of every request.
            """),
        Rule("HT-STA-29", .should, .secondHand, article: "StateAssistedTransactions",
            sources: "CR v2_authenticator.cc; UC linking.md; CL sends zeros",
            "An authenticator SHOULD use a new plaintext for each advert."),
        Rule("HT-STA-30", .should, .secondHand, article: "StateAssistedTransactions",
            sources: "LW; IJ23. The BLE channel is named in sessions from QR codes alone",
            "An authenticator SHOULD send the advert of a linked session without a suffix."),
        Rule("HT-STA-31", .mustNot, .implied, article: "StateAssistedTransactions",
            sources: "the key of the advert follows from the request's nonce",
            "An authenticator MUST NOT advert for a linked client before its contact request."),
        Rule("HT-STA-32", .mustNot, .certain, article: "StateAssistedTransactions",
            sources: "CR fido_tunnel_device.cc; LW known_devices.rs; UC linking.md",
            "A linked client MUST NOT begin the handshake before it has opened the advert."),
        Rule("HT-STA-33", .must, .certain, article: "StateAssistedTransactions",
            sources: "CR v2_discovery.cc; LW; UC linking.md",
            """
            A linked client MUST pass over an advert that was sealed for another link or for an earlier nonce.
            """),
        Rule("HT-STA-34", .must, .certain, article: "StateAssistedTransactions",
            sources: "CR fido_tunnel_device.cc; LW, which scans after the answer",
            """
            A linked client MUST accept the answer of the tunnel service and the advert in either order.
            """),
        Rule("HT-STA-35", .shouldNot, .secondHand, article: "StateAssistedTransactions",
            sources: "CR v2_authenticator.cc",
            """
            An authenticator SHOULD NOT put linking data into the first message of a linked session.
            """),
        Rule("HT-STA-36", .should, .secondHand, article: "StateAssistedTransactions",
            sources: "CR fido_tunnel_device.cc",
            """
            A client SHOULD refuse a linked session whose first message lists features without `ctap`.
            """),
        Rule("HT-STA-37", .should, .secondHand, article: "StateAssistedTransactions",
            sources: "CR fido_tunnel_device.cc",
            "An authenticator SHOULD list `ctap`, if it lists features in a linked session."),
        Rule("HT-STA-38", .shouldNot, .secondHand, article: "StateAssistedTransactions",
            sources: "CR v2_handshake.cc; LW known_devices.rs, the hints are `ga` and `mc`",
            "A client SHOULD NOT ask for digital credentials in a linked session."),
        Rule("HT-STA-39", .shouldNot, .secondHand, article: "StateAssistedTransactions",
            sources: "CR v2_authenticator.cc",
            "An authenticator SHOULD NOT send an update in a linked session."),
        Rule("HT-STA-40", .should, .secondHand, article: "StateAssistedTransactions",
            sources: "CR fido_tunnel_device.cc; LW",
            "A client SHOULD accept an update in a linked session, and go on."),
        Rule("HT-STA-41", .must, .implied, article: "StateAssistedTransactions",
            sources: "there is no QR key to verify a signature with; CR fido_tunnel_device.cc",
            """
            A client MUST drop linking data that come in a linked session, and keep its link.
            """),
        Rule("HT-STA-42", .should, .implied, article: "StateAssistedTransactions",
            sources: "this project",
            """
            An authenticator that waits for linked clients SHOULD serve the next one after a session, however \
            that has ended.
            """),
        Rule("HT-STA-43", .should, .policy, article: "StateAssistedTransactions",
            sources: "this project",
            """
            An authenticator that waits SHOULD complete a session during which another client asks.
            """),
        Rule("HT-STA-44", .must, .certain, article: "StateAssistedTransactions",
            sources: "CR v2_registration.cc; LW known_devices.rs, which sends both",
            """
            An authenticator MUST accept a client payload with the hint `ga`, and one with the hint `mc`.
            """),
        Rule("HT-STA-45", .must, .implied, article: "StateAssistedTransactions",
            sources: "CR fido_tunnel_device.cc; LW; the first message is that of every session",
            """
            A client MUST accept a linked session whose first message lists the feature `ctap`.
            """),
        Rule("HT-STA-46", .must, .certain, article: "StateAssistedTransactions",
            sources: "CR v2_authenticator.cc; UC linking.md; SP",
            "An authenticator MUST set the first byte of a state-assisted plaintext to zero."),
        Rule("HT-STA-47", .should, .disputed, article: "StateAssistedTransactions",
            sources: "CR; UC linking.md; CL sends zeros",
            "An authenticator SHOULD fill the other 15 bytes with random ones."),
        Rule("HT-STA-48", .shouldNot, .secondHand, article: "StateAssistedTransactions",
            sources: "CR v2_handshake.cc `eid::Decrypt`",
            """
            An authenticator SHOULD NOT end the plaintext in a number, little-endian, from 2 to 255.
            """),
        Rule("HT-STA-49", .must, .certain, article: "StateAssistedTransactions",
            sources: "CR v2_handshake.cc `eid::Decrypt`; SP (second-hand)",
            """
            A linked client MUST pass over an advert whose plaintext does not begin with a zero byte.
            """),
        Rule("HT-STA-50", .should, .secondHand, article: "StateAssistedTransactions",
            sources: """
            SP, which checks the zero byte only; LW, which takes no notice of bytes 11 to 15; CR differs
            """,
            """
            A linked client SHOULD accept any 15 bytes after the first, and not read the last two as a tunnel \
            domain.
            """),
        Rule("HT-STA-51", .should, .disputed, article: "StateAssistedTransactions",
            sources: "CR v2_discovery.cc; LW scans after the answer",
            "A linked client SHOULD scan for the advert from its contact request on."),
        Rule("HT-STA-52", .should, .policy, article: "StateAssistedTransactions",
            sources: "this project",
            "A linked client SHOULD end its attempt in bounded time when no advert comes."),
        Rule("HT-DOM-1", .must, .certain, article: "TunnelDomains",
            sources: "CR v2_handshake.cc `tunnelserver::DecodeDomain`; WR tunnel.rs; LW tunnel.rs; JO",
            """
            An implementation MUST resolve tunnel domain 0 to `cable.ua5v.com` and tunnel domain 1 to \
            `cable.auth.com`.
            """),
        Rule("HT-DOM-2", .must, .certain, article: "TunnelDomains",
            sources: "CR v2_handshake.cc `tunnelserver::DecodeDomain`; WR discovery.rs tests",
            "An implementation MUST refuse the tunnel domains 2 to 255."),
        Rule("HT-DOM-3", .must, .implied, article: "TunnelDomains",
            sources: "CR v2_handshake.cc `eid::Decrypt`; WR discovery.rs",
            """
            The authenticator MUST put a number into its advert that is 0, 1, or 256 or above.
            """),
        Rule("HT-DOM-4", .may, .certain, article: "TunnelDomains",
            sources: "CR v2_authenticator.cc; WR; LW tunnel.rs",
            """
            The authenticator MAY use any tunnel service that a number stands for, whichever client it answers.
            """),
        Rule("HT-DOM-5", .must, .certain, article: "TunnelDomains",
            sources: "CR v2_handshake.cc `tunnelserver::DecodeDomain`; WR tunnel.rs; LW tunnel.rs",
            "The client MUST accept an advert that names a computed domain, 256 to 65535."),
        Rule("HT-DOM-6", .must, .certain, article: "TunnelDomains",
            sources: """
            CR v2_handshake.cc `tunnelserver::DecodeDomain`; CR v2_handshake_unittest.cc; WR tunnel.rs; LW \
            tunnel.rs; JO
            """,
            """
            An implementation MUST hash 31 bytes with SHA-256: `caBLEv2 tunnel server domain`, the number in 2 \
            bytes, little-endian, and a zero byte.
            """),
        Rule("HT-DOM-7", .must, .certain, article: "TunnelDomains",
            sources: "CR v2_handshake.cc `tunnelserver::DecodeDomain`; WR tunnel.rs; LW tunnel.rs; JO",
            """
            An implementation MUST read the first 8 bytes of the digest as a little-endian integer.
            """),
        Rule("HT-DOM-8", .must, .certain, article: "TunnelDomains",
            sources: "CR v2_handshake.cc `tunnelserver::DecodeDomain`; WR tunnel.rs; LW tunnel.rs; JO",
            """
            An implementation MUST take the top-level domain from the lowest two bits of that integer: com, org, \
            net or info.
            """),
        Rule("HT-DOM-9", .must, .certain, article: "TunnelDomains",
            sources: "CR v2_handshake.cc `tunnelserver::DecodeDomain`; WR tunnel.rs; LW tunnel.rs; JO",
            """
            An implementation MUST write the other 62 bits as the label: five bits a character, the lowest \
            first, until no bit is left.
            """),
        Rule("HT-DOM-10", .must, .certain, article: "TunnelDomains",
            sources: "CR v2_handshake_unittest.cc; WR tunnel.rs; LW tunnel.rs; JO",
            """
            An implementation MUST join `cable.`, the label, a dot and the top-level domain into the host name.
            """),
        Rule("HT-TUN-1", .must, .certain, article: "TunnelServiceProtocol",
            sources: "RFC 6455 section 4.1; CR; WR tunnel.rs; LW tunnel.rs",
            """
            An endpoint MUST ask for a tunnel by the opening handshake of RFC 6455: GET over HTTP/1.1, one \
            `Host`, version 13, and one key of 16 bytes.
            """),
        Rule("HT-TUN-2", .must, .certain, article: "TunnelServiceProtocol",
            sources: "CR v2_handshake.cc; WR tunnel.rs; LW tunnel.rs",
            """
            An endpoint MUST reach a tunnel service by TLS, under a `wss` URL of the service's domain.
            """),
        Rule("HT-TUN-3", .must, .certain, article: "TunnelServiceProtocol",
            sources: "CR; WR tunnel.rs, cable-tunnel-server; LW tunnel.rs; CF index.ts",
            "An endpoint MUST offer the subprotocol `fido.cable` in each request."),
        Rule("HT-TUN-4", .must, .certain, article: "TunnelServiceProtocol",
            sources: "CR v2_handshake.cc; WR; LW tunnel.rs; CF index.ts",
            """
            A client with a QR code MUST join at `/cable/connect/`, the routing ID, a slash and the tunnel ID, \
            both as pairs of hexadecimal digits.
            """),
        Rule("HT-TUN-5", .should, .disputed, article: "TunnelServiceProtocol",
            sources: "CR v2_handshake.cc; WR; CF index.ts",
            """
            An authenticator SHOULD open its tunnel at `/cable/new/` and the tunnel ID, unless its service has \
            another path.
            """),
        Rule("HT-TUN-6", .mustNot, .certain, article: "TunnelServiceProtocol",
            sources: "CR v2_constants.h; WR; LW tunnel.rs",
            """
            An endpoint MUST NOT ask for a tunnel with a tunnel ID of other than 16 bytes or a routing ID of \
            other than 3.
            """),
        Rule("HT-TUN-7", .should, .disputed, article: "TunnelServiceProtocol",
            sources: """
            CF index.ts, which names CTAP 2.3 section 11.5.1.1.1; LW; MG; TD; SK; SP; against them CR and WR
            """,
            "An endpoint SHOULD write hexadecimal digits of paths and headers in lower case."),
        Rule("HT-TUN-8", .must, .certain, article: "TunnelServiceProtocol",
            sources: "CR and WR, which send upper case; LW and MG, which send lower case",
            "A tunnel service MUST accept hexadecimal digits of either case in a path."),
        Rule("HT-TUN-9", .may, .disputed, article: "TunnelServiceProtocol",
            sources: "CR; WR tunnel.rs; Safari's client sends none (report)",
            "An endpoint MAY send an `Origin` of `wss://` and the service's host."),
        Rule("HT-TUN-10", .must, .certain, article: "TunnelServiceProtocol",
            sources: "RFC 6455 section 4.2.1; Safari's client sends none (report)",
            "A tunnel service MUST accept a request without `Origin`."),
        Rule("HT-TUN-11", .must, .certain, article: "TunnelServiceProtocol",
            sources: "CR; WR tunnel.rs",
            "A tunnel service MUST accept its own name as `Origin`."),
        Rule("HT-TUN-12", .should, .secondHand, article: "TunnelServiceProtocol",
            sources: "WR cable-tunnel-server, which answers 403",
            "A tunnel service SHOULD refuse a request whose `Origin` names somebody else."),
        Rule("HT-TUN-13", .must, .certain, article: "TunnelServiceProtocol",
            sources: "CR v2_handshake.cc; LW tunnel.rs; UC linking.md; RFC 4648 section 5",
            """
            A linked client MUST ask for its authenticator at `/cable/contact/` and the contact ID in base64url \
            without padding.
            """),
        Rule("HT-TUN-14", .should, .policy, article: "TunnelServiceProtocol",
            sources: "this project; RFC 4648 section 3.5",
            """
            A tunnel service SHOULD refuse a contact ID that is not base64url without padding in its one form, \
            the unused bits zero.
            """),
        Rule("HT-TUN-15", .should, .policy, article: "TunnelServiceProtocol",
            sources: "this project",
            "An implementation SHOULD refuse a contact ID longer than 4,096 bytes."),
        Rule("HT-TUN-16", .must, .certain, article: "TunnelServiceProtocol",
            sources: "CR; LW tunnel.rs; UC linking.md",
            """
            A linked client MUST send the header `X-caBLE-Client-Payload` with the client payload in hexadecimal \
            digits.
            """),
        Rule("HT-TUN-17", .should, .policy, article: "TunnelServiceProtocol",
            sources: "this project",
            """
            A tunnel service SHOULD refuse a contact request whose client payload is missing, there twice, \
            empty, longer than 256 bytes, or not pairs of hexadecimal digits.
            """),
        Rule("HT-TUN-18", .should, .implied, article: "TunnelServiceProtocol",
            sources: "this project",
            """
            A tunnel service SHOULD hold a contact request to the rules of the other requests: method, \
            subprotocol and `Origin`.
            """),
        Rule("HT-TUN-19", .must, .certain, article: "TunnelServiceProtocol",
            sources: "RFC 6455 section 4.2.2",
            """
            A tunnel service MUST answer a good request with status 101, `Upgrade`, `Connection` and the \
            matching `Sec-WebSocket-Accept`.
            """),
        Rule("HT-TUN-20", .must, .certain, article: "TunnelServiceProtocol",
            sources: """
            RFC 6455 section 4.2.2; WR cable-tunnel-server; CF index.ts; CR, which abandons other answers
            """,
            """
            A tunnel service MUST select `fido.cable` from the subprotocols that a request offers.
            """),
        Rule("HT-TUN-21", .must, .certain, article: "TunnelServiceProtocol",
            sources: """
            WR cable-tunnel-server, which answers 400; CF index.ts, which answers 403; Google's answers 400 \
            (report)
            """,
            "A tunnel service MUST refuse a request that does not offer `fido.cable`."),
        Rule("HT-TUN-22", .must, .certain, article: "TunnelServiceProtocol",
            sources: "RFC 6455 sections 4.2.1 and 4.2.2",
            """
            A tunnel service MUST refuse a request that is not an opening handshake of RFC 6455.
            """),
        Rule("HT-TUN-23", .must, .certain, article: "TunnelServiceProtocol",
            sources: "RFC 9112 section 3.2",
            "A tunnel service MUST refuse a request that has no `Host` or two."),
        Rule("HT-TUN-24", .should, .policy, article: "TunnelServiceProtocol",
            sources: "this project",
            """
            A tunnel service SHOULD refuse a request for a host that is not one of its names.
            """),
        Rule("HT-TUN-25", .must, .certain, article: "TunnelServiceProtocol",
            sources: "RFC 9110 section 5.1; RFC 6455 section 4.2.1",
            """
            A tunnel service MUST ignore the case of field names, and of the values of `Upgrade` and \
            `Connection`.
            """),
        Rule("HT-TUN-26", .must, .certain, article: "TunnelServiceProtocol",
            sources: "RFC 6455 section 9.1; Safari's client offers `permessage-deflate` (report)",
            """
            A tunnel service MUST serve a request that offers an extension, whether it selects it or not.
            """),
        Rule("HT-TUN-27", .must, .certain, article: "TunnelServiceProtocol",
            sources: "WR cable-tunnel-server; CF index.ts",
            """
            A tunnel service MUST refuse a path that is not one of its own, or in which an ID has another length \
            or other digits.
            """),
        Rule("HT-TUN-28", .should, .disputed, article: "TunnelServiceProtocol",
            sources: "this project",
            "A tunnel service SHOULD refuse a path with a query."),
        Rule("HT-TUN-29", .should, .policy, article: "TunnelServiceProtocol",
            sources: "this project",
            "A tunnel service SHOULD refuse a request for an upgrade that has a body."),
        Rule("HT-TUN-30", .must, .certain, article: "TunnelServiceProtocol",
            sources: "RFC 9293, a stream of bytes; RFC 6455 section 5.4",
            """
            A receiver MUST read requests, answers and frames however the network divides and joins them.
            """),
        Rule("HT-TUN-31", .should, .policy, article: "TunnelServiceProtocol",
            sources: "this project; WR cable-tunnel-server has such limits",
            """
            A tunnel service SHOULD bound the time, memory and connections that a peer takes, so that others are \
            served whatever it sends.
            """),
        Rule("HT-TUN-32", .must, .certain, article: "TunnelServiceProtocol",
            sources: "RFC 6455 section 4.1",
            """
            An endpoint MUST refuse an answer with status 101 that does not complete the handshake of RFC 6455.
            """),
        Rule("HT-TUN-33", .must, .certain, article: "TunnelServiceProtocol",
            sources: "CR websocket_adapter.cc; SP; RFC 6455 section 4.1",
            """
            An endpoint MUST refuse an answer that does not select `fido.cable` and nothing else.
            """),
        Rule("HT-TUN-34", .must, .certain, article: "TunnelServiceProtocol",
            sources: "RFC 6455 section 4.1",
            """
            An endpoint MUST refuse an answer that selects an extension that it did not offer.
            """),
        Rule("HT-TUN-35", .must, .certain, article: "TunnelServiceProtocol",
            sources: "RFC 9110 sections 5.1 and 5.3",
            """
            An endpoint MUST ignore the case of field names in an answer, and fields that it does not know.
            """),
        Rule("HT-TUN-36", .mustNot, .certain, article: "TunnelServiceProtocol",
            sources: "RFC 6455 section 4.1; CR; WR; LW",
            "An endpoint MUST NOT use a tunnel after an answer with another status than 101."),
        Rule("HT-TUN-37", .should, .disputed, article: "TunnelServiceProtocol",
            sources: """
            UC tunnel.rs, an account of the specification; LW tunnel.rs, up to 5; CR does not
            """,
            "An endpoint SHOULD follow a redirect, and send its headers again."),
        Rule("HT-TUN-38", .should, .policy, article: "TunnelServiceProtocol",
            sources: "this project",
            "An endpoint SHOULD refuse an answer whose head exceeds a bound of its own."),
        Rule("HT-TUN-39", .must, .certain, article: "TunnelServiceProtocol",
            sources: "CR v2_authenticator.cc; WR tunnel.rs, cable-tunnel-server",
            """
            A tunnel service that holds a new tunnel MUST name one routing ID of six hexadecimal digits in \
            `X-caBLE-Routing-ID`.
            """),
        Rule("HT-TUN-40", .must, .certain, article: "TunnelServiceProtocol",
            sources: "CR; WR tunnel.rs; RFC 9110 section 5.1",
            """
            An authenticator MUST accept a routing ID in digits of either case, whatever the case of the \
            header's name.
            """),
        Rule("HT-TUN-41", .must, .certain, article: "TunnelServiceProtocol",
            sources: "CR; WR tunnel.rs, but for two of them",
            """
            An authenticator MUST refuse an answer to `new` whose routing ID is missing, there twice, or not 6 \
            hexadecimal digits.
            """),
        Rule("HT-TUN-42", .shouldNot, .secondHand, article: "TunnelServiceProtocol",
            sources: "WR cable-tunnel-server, which answers 409",
            """
            A tunnel service SHOULD NOT give a tunnel ID that is in use to a second authenticator.
            """),
        Rule("HT-TUN-43", .should, .policy, article: "TunnelServiceProtocol",
            sources: "this project",
            "A tunnel service SHOULD free a tunnel ID soon after its authenticator has gone."),
        Rule("HT-TUN-44", .must, .certain, article: "TunnelServiceProtocol",
            sources: "WR cable-tunnel-server, which answers 404; CF tunnelRoom.ts",
            "A tunnel service MUST refuse a client for a tunnel that it does not hold."),
        Rule("HT-TUN-45", .should, .implied, article: "TunnelServiceProtocol",
            sources: "this project",
            """
            A tunnel service SHOULD refuse a client that names another routing ID than the tunnel's.
            """),
        Rule("HT-TUN-46", .should, .secondHand, article: "TunnelServiceProtocol",
            sources: "WR cable-tunnel-server",
            "A tunnel service SHOULD refuse a second client of a tunnel."),
        Rule("HT-TUN-47", .must, .certain, article: "TunnelServiceProtocol",
            sources: "WR cable-tunnel-server; CF tunnelRoom.ts; RFC 6455 section 5.4",
            """
            A tunnel service MUST relay each message whole, unchanged, in order, and to the other end of its \
            tunnel alone.
            """),
        Rule("HT-TUN-48", .mustNot, .certain, article: "TunnelServiceProtocol",
            sources: """
            CR fido_tunnel_device.cc; WR; LW, which take the first message for the handshake's
            """,
            """
            A tunnel service MUST NOT send an endpoint a message that the other end did not send, but for the \
            signal that was agreed.
            """),
        Rule("HT-TUN-49", .should, .disputed, article: "TunnelServiceProtocol",
            sources: "this project",
            """
            A tunnel service SHOULD keep what an authenticator sends before its client has joined.
            """),
        Rule("HT-TUN-50", .must, .implied, article: "TunnelServiceProtocol",
            sources: """
            CR, whose phone opens the tunnel 250 ms late and awaits the user; Google's relay waits about 30 \
            seconds (report); WR 120 seconds
            """,
            """
            A tunnel service MUST keep a tunnel that waits for its client, or is idle, open for at least 3 \
            seconds.
            """),
        Rule("HT-TUN-51", .should, .policy, article: "TunnelServiceProtocol",
            sources: """
            this project; WR cable-tunnel-server, 120 seconds; Google's relay, about 30 (report)
            """,
            """
            A tunnel service SHOULD end a tunnel whose client has not come within a time of its own.
            """),
        Rule("HT-TUN-52", .must, .certain, article: "TunnelServiceProtocol",
            sources: "WR cable-tunnel-server; CF tunnelRoom.ts",
            """
            A tunnel service MUST close the connection of one end when that of the other closes or is lost.
            """),
        Rule("HT-TUN-53", .must, .implied, article: "TunnelServiceProtocol",
            sources: "RFC 6455 section 5.5.1; CR, whose last message is the shutdown",
            "A tunnel service MUST relay what an end has sent before it closes."),
        Rule("HT-TUN-54", .must, .certain, article: "TunnelServiceProtocol",
            sources: "RFC 6455 section 5.5.1",
            "A receiver of a Close frame MUST answer it with a Close frame."),
        Rule("HT-TUN-55", .should, .disputed, article: "TunnelServiceProtocol",
            sources: "this project",
            "A tunnel service SHOULD pass the code of a Close frame on to the other end."),
        Rule("HT-TUN-56", .must, .certain, article: "TunnelServiceProtocol",
            sources: "RFC 6455 section 4.1; CR websocket_adapter.cc; WR; LW",
            """
            An endpoint MUST give up a tunnel when the connection ends before the answer has come.
            """),
        Rule("HT-TUN-57", .should, .policy, article: "TunnelServiceProtocol",
            sources: "this project. Chromium has no time limit of the handshake",
            """
            An endpoint SHOULD give up in bounded time when an answer, or the rest of one, does not come.
            """),
        Rule("HT-TUN-58", .must, .certain, article: "TunnelServiceProtocol",
            sources: "CR websocket_adapter.cc; WR; LW; CF",
            "A sender MUST send each protocol message as one binary WebSocket message."),
        Rule("HT-TUN-59", .must, .certain, article: "TunnelServiceProtocol",
            sources: "CR websocket_adapter.cc; WR tunnel.rs; CF",
            "A receiver MUST refuse a text message."),
        Rule("HT-TUN-60", .must, .secondHand, article: "TunnelServiceProtocol",
            sources: "CF, which names CTAP 2.3 section 11.5.1.1.1",
            "A receiver MUST refuse an empty message."),
        Rule("HT-TUN-61", .must, .certain, article: "TunnelServiceProtocol",
            sources: "RFC 6455 section 5.4",
            """
            A receiver MUST join the frames of a fragmented message, also where frames are empty or control \
            frames stand between.
            """),
        Rule("HT-TUN-62", .must, .certain, article: "TunnelServiceProtocol",
            sources: "RFC 6455 section 5.5.2",
            "A receiver of a ping MUST answer it with a pong of the same payload."),
        Rule("HT-TUN-63", .must, .certain, article: "TunnelServiceProtocol",
            sources: "RFC 6455 section 5.5.3",
            "A receiver MUST ignore a pong that answers no ping."),
        Rule("HT-TUN-64", .must, .certain, article: "TunnelServiceProtocol",
            sources: "RFC 6455 section 5.1",
            "A tunnel service MUST close the connection on a frame that is not masked."),
        Rule("HT-TUN-65", .must, .certain, article: "TunnelServiceProtocol",
            sources: "RFC 6455 section 5.1",
            "An endpoint MUST close the connection on a masked frame."),
        Rule("HT-TUN-66", .must, .certain, article: "TunnelServiceProtocol",
            sources: "RFC 6455 section 5.2",
            """
            A receiver MUST refuse a frame with a reserved bit that no extension has defined.
            """),
        Rule("HT-TUN-67", .must, .certain, article: "TunnelServiceProtocol",
            sources: "RFC 6455 section 5.2",
            "A receiver MUST refuse a frame with a reserved opcode."),
        Rule("HT-TUN-68", .must, .certain, article: "TunnelServiceProtocol",
            sources: "RFC 6455 section 5.4",
            """
            A receiver MUST refuse a continuation of no message, and a new message inside a fragmented one.
            """),
        Rule("HT-TUN-69", .must, .certain, article: "TunnelServiceProtocol",
            sources: "RFC 6455 section 5.5",
            """
            A receiver MUST refuse a control frame that is fragmented or has more than 125 bytes.
            """),
        Rule("HT-TUN-70", .must, .certain, article: "TunnelServiceProtocol",
            sources: "RFC 6455 sections 5.5.1 and 7.4.1",
            """
            A receiver MUST refuse a Close frame with half a code, a code that must not be sent, or a reason \
            that is not UTF-8.
            """),
        Rule("HT-TUN-71", .must, .certain, article: "TunnelServiceProtocol",
            sources: "RFC 6455 sections 1.4 and 5.5.1",
            "A receiver MUST ignore what comes after a Close frame."),
        Rule("HT-TUN-72", .must, .certain, article: "TunnelServiceProtocol",
            sources: "RFC 6455 section 5.2",
            "A receiver MUST refuse a frame whose stated length has the highest bit set."),
        Rule("HT-TUN-73", .should, .disputed, article: "TunnelServiceProtocol",
            sources: "RFC 6455 section 5.2, which binds the sender",
            "A receiver SHOULD refuse a frame whose length is not in its shortest form."),
        Rule("HT-TUN-74", .must, .implied, article: "TunnelServiceProtocol",
            sources: "WR cable-tunnel-server, the least limit of those that were read; CR",
            "A tunnel service MUST relay messages of up to 16,384 bytes."),
        Rule("HT-TUN-75", .should, .secondHand, article: "TunnelServiceProtocol",
            sources: "CR websocket_adapter.cc; SP; LW; CF",
            "A receiver SHOULD accept messages of up to 1 MiB."),
        Rule("HT-TUN-76", .should, .policy, article: "TunnelServiceProtocol",
            sources: "this project; RFC 6455 section 10.4; CR",
            """
            A receiver SHOULD refuse a message longer than its limit as soon as the length is stated, without \
            waiting for it.
            """),
        Rule("HT-TUN-77", .may, .disputed, article: "TunnelServiceProtocol",
            sources: "CR; UC linking.md; LW does not",
            "A linked client MAY ask for the signal by `X-caBLE-Signal-Connection: true`."),
        Rule("HT-TUN-78", .should, .secondHand, article: "TunnelServiceProtocol",
            sources: "CR fido_tunnel_device.cc",
            """
            A tunnel service whose answer has `X-caBLE-Signal-Connection` SHOULD send the client the one byte \
            `00`, before any other message, when the authenticator has joined.
            """),
        Rule("HT-TUN-79", .should, .secondHand, article: "TunnelServiceProtocol",
            sources: "CR fido_tunnel_device.cc",
            """
            A client that asked for the signal SHOULD accept it before, after and at the same time as the \
            advert.
            """),
        Rule("HT-TUN-80", .should, .secondHand, article: "TunnelServiceProtocol",
            sources: "CR fido_tunnel_device.cc",
            """
            A client SHOULD end the session when another message than `00` comes in the place of an agreed \
            signal.
            """),
        Rule("HT-TUN-81", .mustNot, .implied, article: "TunnelServiceProtocol",
            sources: "CR; LW; message 2 has 81 bytes (HT-HS)",
            """
            A client MUST NOT take the byte `00` for a signal unless the answer has promised one.
            """),
        Rule("HT-TUN-82", .should, .implied, article: "TunnelServiceProtocol",
            sources: """
            CR, which has no limit; a tunnel service may ask the authenticator before it answers
            """,
            "An endpoint SHOULD accept an answer that comes some seconds late."),
        Rule("HT-HID-1", .must, .certain, article: "USBHID",
            sources: "OS hid/mod.rs; LK; python-fido2 2 hid",
            "Device and host MUST send reports of 64 bytes."),
        Rule("HT-HID-2", .mustNot, .certain, article: "USBHID",
            sources: "OS hid/mod.rs; LK ctaphid.c",
            "The device MUST NOT allocate the channels 0 and 0xFFFFFFFF."),
        Rule("HT-HID-3", .must, .certain, article: "USBHID",
            sources: """
            OS hid/mod.rs, send.rs; LK ctaphid.c, which quotes section 11.2.4; python-fido2 2 hid
            """,
            """
            The sender MUST begin a message with a packet of channel (4 bytes), command with bit 7 set, length \
            of the payload (2 bytes), all big-endian, and up to 57 bytes of payload.
            """),
        Rule("HT-HID-4", .must, .certain, article: "USBHID",
            sources: "OS hid/mod.rs, send.rs; LK ctaphid.c; python-fido2 2 hid",
            """
            The sender MUST continue a message with packets of channel, a number that counts from 0, and up to \
            59 bytes of payload.
            """),
        Rule("HT-HID-5", .must, .certain, article: "USBHID",
            sources: "OS hid/receive.rs; LK ctaphid.c, which quotes section 11.2.4",
            "The device MUST refuse a message of more than 7,609 bytes with ERR_INVALID_LEN."),
        Rule("HT-HID-6", .must, .certain, article: "USBHID",
            sources: """
            OS hid/receive.rs tests, which quote section 11.2.4; LK ctaphid.c; python-fido2 2 hid
            """,
            """
            The receiver MUST take whatever stands behind the payload in a message's last packet.
            """),
        Rule("HT-HID-7", .must, .certain, article: "USBHID",
            sources: "OS hid/mod.rs; LK ctaphid.c",
            """
            The device MUST answer a message on a channel that it has not allocated with ERR_INVALID_CHANNEL, \
            but CTAPHID_INIT on the broadcast channel.
            """),
        Rule("HT-HID-8", .must, .certain, article: "USBHID",
            sources: "OS hid/mod.rs; CR hid/fido_hid_device.cc, which reads it",
            "The device MUST answer a command that it does not have with ERR_INVALID_CMD."),
        Rule("HT-HID-9", .must, .certain, article: "USBHID",
            sources: "OS hid/mod.rs; LK ctaphid.c; python-fido2 2 hid",
            """
            The device MUST answer CTAPHID_INIT with the 8 bytes of its nonce, a channel (4 bytes), the \
            protocol's version 2, its own version (3 bytes) and its capabilities (1 byte).
            """),
        Rule("HT-HID-10", .should, .disputed, article: "USBHID",
            sources: """
            libu2f-host `init_device`; python-fido2 2 hid; against it CR hid/fido_hid_device.cc
            """,
            "The host SHOULD accept an answer to CTAPHID_INIT that is longer than 17 bytes."),
        Rule("HT-HID-11", .must, .certain, article: "USBHID",
            sources: "OS hid/mod.rs; LK ctaphid.c, which quotes section 11.2.9.1.3",
            """
            The device MUST allocate a channel that differs from all that it has allocated before, as long as \
            there are such channels.
            """),
        Rule("HT-HID-12", .should, .policy, article: "USBHID",
            sources: "this project",
            """
            The device SHOULD keep every channel that it has allocated, however many programs ask for one.
            """),
        Rule("HT-HID-13", .must, .certain, article: "USBHID",
            sources: "OS hid/receive.rs, mod.rs; LK ctaphid.c, which quote section 11.2.5.1",
            """
            The device MUST answer a message of another channel with ERR_CHANNEL_BUSY while it receives or \
            processes one.
            """),
        Rule("HT-HID-14", .must, .implied, article: "USBHID",
            sources: "LK ctaphid.c",
            """
            The device MUST answer a message of a channel whose request it is processing with ERR_CHANNEL_BUSY.
            """),
        Rule("HT-HID-15", .must, .certain, article: "USBHID",
            sources: "OS hid/receive.rs, mod.rs; LK ctaphid.c",
            """
            The device MUST give a message up with ERR_INVALID_SEQ when the packet with the next number is not \
            the next packet of its channel.
            """),
        Rule("HT-HID-16", .must, .certain, article: "USBHID",
            sources: "OS hid/receive.rs, mod.rs; LK ctaphid.c, which quote section 11.2.5.4",
            """
            The device MUST ignore a continuation packet of a channel that has begun no message.
            """),
        Rule("HT-HID-17", .must, .certain, article: "USBHID",
            sources: "OS hid/receive.rs; S1 ctaphid.c",
            """
            The device MUST give a message up with ERR_MSG_TIMEOUT when its rest does not come.
            """),
        Rule("HT-HID-18", .must, .certain, article: "USBHID",
            sources: "OS hid/mod.rs; LK ctaphid.c, which quotes section 11.2.9.1.3",
            """
            The device MUST answer CTAPHID_INIT on an allocated channel with that channel, on that channel.
            """),
        Rule("HT-HID-19", .must, .certain, article: "USBHID",
            sources: "OS hid/receive.rs; LK ctaphid.c, which quotes sections 11.2.5.3 and 11.2.9.1.3",
            """
            The device MUST drop the message and the request of a channel on which CTAPHID_INIT comes.
            """),
        Rule("HT-HID-20", .must, .certain, article: "USBHID",
            sources: "OS hid/mod.rs; LK ctaphid.c; S1 ctaphid.c",
            """
            The device MUST answer CTAPHID_INIT without exactly 8 bytes, and CTAPHID_WINK with any, with \
            ERR_INVALID_LEN.
            """),
        Rule("HT-HID-21", .mustNot, .certain, article: "USBHID",
            sources: "OS hid/mod.rs; LK ctaphid.c, which quotes section 11.2.9.1.5",
            "The device MUST NOT answer CTAPHID_CANCEL."),
        Rule("HT-HID-22", .should, .secondHand, article: "USBHID",
            sources: "section 11.2.9.1.7, by the comments of several firmwares",
            """
            The device SHOULD send CTAPHID_KEEPALIVE at least every 100 ms while it processes a request.
            """),
        Rule("HT-HID-23", .should, .secondHand, article: "USBHID",
            sources: "section 11.2.9.1.7, by the comments of several firmwares",
            "The device SHOULD send CTAPHID_KEEPALIVE when the status changes."),
        Rule("HT-HID-24", .should, .policy, article: "USBHID",
            sources: "this project",
            """
            The device SHOULD answer ERR_OTHER when the authenticator's response is empty or longer than 7,609 \
            bytes.
            """),
        Rule("HT-HID-25", .must, .implied, article: "USBHID",
            sources: "OS hid/mod.rs",
            """
            The device MUST answer CTAPHID_MSG with ERR_INVALID_CMD when its capabilities say that it does not \
            have it.
            """),
        Rule("HT-HID-26", .should, .secondHand, article: "USBHID",
            sources: "section 11.2.9.2; python-fido2 2 hid",
            """
            The device SHOULD keep a lock for as many seconds as CTAPHID_LOCK says, 0 to 10, and end it for 0.
            """),
        Rule("HT-HID-27", .should, .secondHand, article: "USBHID",
            sources: "section 11.2.9.2, which does not name the code",
            """
            The device SHOULD answer messages of other channels with ERR_CHANNEL_BUSY while a channel has the \
            lock.
            """),
        Rule("HT-HID-28", .must, .certain, article: "USBHID",
            sources: "OS hid/mod.rs; S1 ctaphid.c; python-fido2 2 hid",
            """
            The device MUST answer CTAPHID_WINK with an empty message when its capabilities say that it has it.
            """),
        Rule("HT-HID-29", .should, .disputed, article: "USBHID",
            sources: "CR hid/fido_hid_device.cc; against it python-fido2 2 hid, which gives up",
            "The host SHOULD ignore reports of channels that are not its own."),
        Rule("HT-HID-30", .must, .certain, article: "USBHID",
            sources: "python-fido2 2 hid; CR hid/fido_hid_device.cc",
            """
            The host MUST refuse an answer whose command is not that of its message, CTAPHID_KEEPALIVE or \
            CTAPHID_ERROR.
            """),
        Rule("HT-HID-31", .mustNot, .certain, article: "USBHID",
            sources: "CR hid/fido_hid_device.cc; libu2f-host `init_device`; python-fido2 2 hid",
            """
            The host MUST NOT use an answer to CTAPHID_INIT that has another nonce than its own.
            """),
        Rule("HT-HID-32", .must, .certain, article: "USBHID",
            sources: "section 11.2.8; python-fido2 2 hid/base.py; HID 1.11 section 6.2.2",
            """
            The device MUST describe itself as an application collection of the usage 0x01 of the page 0xF1D0, \
            with one input and one output report of 64 bytes.
            """),
        Rule("HT-HID-33", .must, .certain, article: "USBHID",
            sources: "section 11.2.8; python-fido2 2 hid/base.py",
            """
            The host MUST take a device for a security key by the usage page 0xF1D0 and the usage 0x01 of its \
            descriptor.
            """),
        Rule("HT-HID-34", .should, .disputed, article: "USBHID",
            sources: "LK ctaphid.c; against it OS hid/receive.rs, which answers ERR_CHANNEL_BUSY",
            """
            The device SHOULD answer CTAPHID_INIT also while another channel's message is in its way.
            """),
        Rule("HT-HID-35", .must, .certain, article: "USBHID",
            sources: "LK ctaphid.c, which quotes section 11.2.9.1.5; python-fido2 2 hid",
            """
            The device MUST send the response to a request that was cancelled as it sends any other.
            """),
        Rule("HT-HID-36", .may, .policy, article: "USBHID",
            sources: "this project; against it section 11.2.5.1",
            """
            The device MAY let a request of another channel wait while it processes one, instead of refusing it \
            as HT-HID-13 says.
            """),
    ]
}
