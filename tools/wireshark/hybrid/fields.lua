-- The protocol and its fields, by which Wireshark filters: hybrid.type, hybrid.ctap.command, hybrid.rp_id and so on.

local hybrid = ...
if type(hybrid) ~= "table" then
    return
end

local names = hybrid.names
local protocol = Proto("hybrid", "FIDO hybrid transport")
hybrid.protocol = protocol
hybrid.fields = {}
hybrid.experts = {}

local all = {}
local function field(make, key, ...)
    hybrid.fields[key] = make("hybrid." .. key, ...)
    table.insert(all, hybrid.fields[key])
end

local bytes, text, number8, number16 = ProtoField.bytes, ProtoField.string, ProtoField.uint8, ProtoField.uint16

-- An exported PDU.
field(number8, "version", "Version of the export", base.DEC)
field(number8, "direction", "Direction", base.DEC, names.direction)
field(number8, "carrier", "Carrier", base.DEC, names.carrier)
field(number8, "kind", "Kind", base.DEC, names.kind)

-- An advert.
field(number16, "advert.uuid", "Service data of UUID", base.HEX, names.service)
field(number8, "advert.length", "Length of the service data", base.DEC)
field(bytes, "advert.sealed", "Sealed plaintext")
field(bytes, "advert.tag", "Tag")
field(bytes, "advert.suffix", "Suffix")
field(number16, "advert.psm", "PSM of the BLE data channel", base.DEC)
field(number8, "advert.reserved", "Reserved", base.HEX)
field(bytes, "advert.nonce", "Nonce")
field(bytes, "advert.routing_id", "Routing ID")
field(number16, "advert.tunnel_domain", "Tunnel domain", base.DEC, names.tunnel_domain)
field(number16, "decoy", "Not hybrid: service data of UUID", base.HEX, names.service)

-- A tunnel.
field(text, "tunnel.request", "Tunnel request")
field(bytes, "tunnel.id", "Tunnel ID")
field(bytes, "tunnel.routing_id", "Routing ID")
field(text, "tunnel.contact_id", "Contact ID")
field(ProtoField.bool, "tunnel.signal", "Signal that the authenticator has connected")

-- Handshake messages and sealed frames.
field(number8, "handshake.message", "Handshake message", base.DEC)
field(bytes, "handshake.ephemeral_key", "Ephemeral public key")
field(bytes, "handshake.tag", "Tag of the empty payload")
field(ProtoField.uint32, "frame.number", "Frame of this direction, from 0", base.DEC)
field(ProtoField.uint32, "frame.length", "Length of the sealed frame", base.DEC)
field(bytes, "frame.sealed", "Sealed message")
field(bytes, "frame.tag", "Tag")
field(ProtoField.framenum, "frame.ends_in", "The message ends in frame", base.NONE)
field(ProtoField.framenum, "frame.begins_in", "The message begins in frame", base.NONE)
field(bytes, "terminator", "Terminator")

-- Messages.
field(number8, "revision", "Revision of the messages", base.DEC)
field(number8, "type", "Message type", base.DEC, names.type)
field(ProtoField.bool, "first_message", "First message")
field(text, "feature", "Feature")
field(text, "json", "JSON")
field(bytes, "filler", "Filler")
field(bytes, "link.contact_id", "Contact ID")
field(bytes, "link.id", "Link ID")
field(bytes, "link.secret", "Link secret")
field(bytes, "link.public_key", "Static public key of the authenticator")
field(text, "link.name", "Name of the authenticator")
field(bytes, "link.signature", "Signature")

-- CTAP.
field(number8, "ctap.command", "CTAP command", base.HEX, names.command)
field(number8, "ctap.status", "CTAP status", base.HEX, names.status)
field(bytes, "client_data_hash", "Client data hash")
field(text, "rp_id", "RP ID")
field(text, "rp_name", "RP name")
field(bytes, "user_id", "User ID")
field(text, "user_name", "User name")
field(text, "user_display_name", "User's display name")
field(bytes, "credential_id", "Credential ID")
field(ProtoField.int32, "algorithm", "Algorithm", base.DEC)
field(text, "option", "Option")
field(text, "extension", "Extension")
field(text, "ctap_version", "CTAP version")
field(text, "transport", "Transport")
field(bytes, "aaguid", "AAGUID")
field(text, "attestation_format", "Attestation format")
field(bytes, "signature", "Signature")
field(bytes, "auth_data", "Authenticator data")
field(bytes, "auth_data.rp_id_hash", "SHA-256 of the RP ID")
field(number8, "auth_data.flags", "Flags", base.HEX)
for bit, flag in ipairs({ "up", "uv", false, "be", "bs", false, "at", "ed" }) do
    if flag then
        local mask = 2 ^ (bit - 1)
        field(ProtoField.bool, "auth_data.flags." .. flag, flag:upper(), 8, nil, math.floor(mask))
    end
end
field(ProtoField.uint32, "auth_data.counter", "Signature counter", base.DEC)

protocol.fields = all

local function finding(key, meaning, group, severity)
    hybrid.experts[key] = ProtoExpert.new("hybrid.expert." .. key, meaning, group, severity)
end
-- What cannot be read; what can be read and no receiver accepts; what is worth a look.
finding("malformed", "Malformed", expert.group.MALFORMED, expert.severity.ERROR)
finding("refused", "Receivers refuse this", expert.group.PROTOCOL, expert.severity.WARN)
finding("note", "Note", expert.group.PROTOCOL, expert.severity.NOTE)
protocol.experts = { hybrid.experts.malformed, hybrid.experts.refused, hybrid.experts.note }
