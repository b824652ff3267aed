//! Shim of kanidm/webauthn-rs: base10, discovery, handshake, noise and get_domain of webauthn-authenticator-rs, as a module
//! of their crate in which every item is public, `crypto::regenerate` draws `lines::next` if there is one, and
//! `crypto::compute_sha256_2` gives its result to `lines::note`. `lines` is shim.rs.
use crate::{cable::{base10, discovery::*, handshake::HandshakeV2, noise::*, tunnel::get_domain}, crypto};
use hex::encode;
use crate::lines::{array, no, private, serve, LAST, NEXT};
use serde_json::{json, Value};

const OPERATIONS: [&str; 10] = ["digits.encode", "digits.decode", "domain.name", "advert.seal", "advert.open", "invitation.parse",
    "transport.seal", "transport.open", "noise.respond", "noise.finish"];

fn run(operation: &str, input: &Value) -> Result<Value, String> {
    let bytes = |name: &str| hex::decode(input[name].as_str().unwrap_or("")).unwrap();
    let (number, text) = (|name: &str| input[name].as_u64().unwrap_or(0), |name: &str| input[name].as_str().unwrap());
    let mut state = CipherState { k: bytes("key").try_into().ok(), n: number("counter") as u32, nonce_type: NonceType::New, padding: true };
    let (ours, theirs) = (bytes("static_private"), bytes("static_public"));
    let ours = (!ours.is_empty()).then(|| private(&ours));
    Ok(match operation {
        "digits.encode" => json!({"digits": base10::encode(&bytes("bytes"))}),
        "digits.decode" => json!({"bytes": encode(base10::decode(text("digits")).map_err(no)?)}),
        "domain.name" => json!({"domain": get_domain(number("id").try_into().map_err(no)?).ok_or("no domain")?}),
        "transport.seal" => json!({"frame": encode(state.encrypt(&bytes("message"), None).map_err(no)?)}),
        "transport.open" => json!({"message": encode(state.decrypt(&bytes("frame"), None).map_err(no)?)}),
        "advert.seal" => {
            let eid = Eid::from_bytes(bytes("plaintext").as_slice()).ok_or("not a plaintext")?;
            json!({"advert": encode(eid.encrypt_advert(&array(bytes("eid_key"))?).map_err(no)?)})
        }
        "advert.open" => {
            let eid = Eid::decrypt_advert(bytes("advert").as_slice(), &array(bytes("eid_key"))?).map_err(no)?.ok_or("not for this key")?;
            json!({"plaintext": encode(eid.as_bytes()), "nonce": encode(eid.nonce), "routing_id": encode(eid.routing_id),
                "domain_id": eid.tunnel_server_id, "domain": get_domain(eid.tunnel_server_id), "psm": null})
        }
        "invitation.parse" => {
            let code = HandshakeV2::from_qr_url(text("url")).map_err(no)?;
            json!({"public_key": encode(crypto::point_to_bytes(code.peer_identity.public_key(), true).unwrap()), "secret": encode(code.secret),
                "known_domains": code.known_domains_count, "timestamp": code.timestamp.duration_since(std::time::UNIX_EPOCH).unwrap().as_secs(),
                "linking": code.supports_linking_info, "hint": code.request_type.to_cable_string(), "channels": [0]})
        }
        _ => {
            let (psk, respond) = (array(bytes("psk"))?, operation == "noise.respond");
            NEXT.set(Some(private(&bytes("ephemeral_private"))));
            let (there, back, answer) = if respond {
                let theirs = (!theirs.is_empty()).then(|| crypto::public_key_from_bytes(&theirs).unwrap());
                let (made, answer) = CableNoise::build_responder(ours.as_deref(), psk, theirs.as_deref(), &bytes("message_1")).map_err(no)?;
                (made.reader.k, made.writer.k, answer)
            } else {
                let (noise, _) = CableNoise::build_initiator(ours.as_deref(), psk, theirs.try_into().ok()).map_err(no)?;
                let made = noise.process_response(&bytes("message_2")).map_err(no)?;
                (made.writer.k, made.reader.k, vec![])
            };
            let mut output = json!({"handshake_hash": encode(LAST.get()), "client_to_authenticator_key": there.map(encode), "authenticator_to_client_key": back.map(encode)});
            if respond { output["message_2"] = json!(encode(answer)) }
            output
        }
    })
}

pub fn main() { serve("webauthn-rs", &OPERATIONS, run) }
