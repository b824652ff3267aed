-- Names of numbers on the wire that the program has no name for, or another one; made_names.lua has the others.
-- Source: CTAP 2.2 and 2.3 section 6.

local hybrid = ...
if type(hybrid) ~= "table" then
    return -- Wireshark runs every file of its plugin folder; this one is run by hybrid.lua.
end

-- "1 byte", "2 bytes".
function hybrid.count(number, noun)
    return string.format("%d %s%s", number, noun, number == 1 and "" or "s")
end

hybrid.names = {
    direction = { [0] = "client to authenticator", [1] = "authenticator to client" },
    sender = { [0] = "client", [1] = "authenticator" },
    carrier = { [0] = "tunnel", [1] = "L2CAP", [2] = "advert" },
    kind = { [0] = "handshake message", [1] = "decrypted message", [2] = "advert" },
    service = {
        [0xfff9] = "FIDO hybrid transport",
        [0xfde2] = "FIDO hybrid transport, Google's older UUID",
        [0xfcf1] = "Google Nearby Presence",
    },
    command = {
        [0x01] = "authenticatorMakeCredential",
        [0x02] = "authenticatorGetAssertion",
        [0x04] = "authenticatorGetInfo",
        [0x06] = "authenticatorClientPIN",
        [0x07] = "authenticatorReset",
        [0x08] = "authenticatorGetNextAssertion",
        [0x09] = "authenticatorBioEnrollment",
        [0x0a] = "authenticatorCredentialManagement",
        [0x0b] = "authenticatorSelection",
        [0x0c] = "authenticatorLargeBlobs",
        [0x0d] = "authenticatorConfig",
    },
}
