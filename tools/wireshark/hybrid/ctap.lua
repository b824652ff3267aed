-- CTAP2 commands and answers: the names of their parameters, and authenticator data. Source: CTAP 2.2 section 6;
-- WebAuthn section 6.1.

local hybrid = ...
if type(hybrid) ~= "table" then
    return
end

local F = hybrid.fields
local ctap = {}
hybrid.ctap = ctap

local function bytes(name, field) return { name = name, field = field, major = 2 } end
local function text(name, field) return { name = name, field = field, major = 3 } end
local function named(name) return { name = name } end
local function list(name, items) return { name = name, items = items } end

-- Wireshark shows a COSE key by its numbers; these are the ones of an elliptic curve.
local cose_key = {
    keys = {
        [1] = named("kty"), [3] = { name = "alg" }, [-1] = named("crv"), [-2] = named("x"), [-3] = named("y"),
    },
}
local descriptor = {
    keys = { id = bytes("id", F.credential_id), type = named("type"), transports = named("transports") },
}
local function descriptors(name) return list(name, descriptor) end
local parameter = { keys = { alg = { name = "alg", field = F.algorithm, major = 1 }, type = named("type") } }
local rp = { name = "rp", keys = { id = text("id", F.rp_id), name = text("name", F.rp_name) } }
local user = {
    name = "user",
    keys = {
        id = bytes("id", F.user_id),
        name = text("name", F.user_name),
        displayName = text("displayName", F.user_display_name),
    },
}
local options = { name = "options", any = {}, pair_field = F.option }
local extensions = { name = "extensions", any = {}, key_field = F.extension }

local auth_data_length, attested_length = 37, 18
local flag_fields = {}
for _, flag in ipairs({ "up", "uv", "be", "bs", "at", "ed" }) do
    table.insert(flag_fields, F["auth_data.flags." .. flag])
end

-- Authenticator data: the SHA-256 of the RP ID, flags, counter, attested credential, extensions.
local function read_auth_data(walk, node, range, depth)
    if range:len() < auth_data_length then
        node:add_proto_expert_info(hybrid.experts.malformed, "authenticator data of fewer than 37 bytes")
        return
    end
    node:add(F["auth_data.rp_id_hash"], range(0, 32))
    local flags_node = node:add(F["auth_data.flags"], range(32, 1))
    for _, field in ipairs(flag_fields) do
        flags_node:add(field, range(32, 1))
    end
    node:add(F["auth_data.counter"], range(33, 4))
    local offset = auth_data_length
    if range(32, 1):bitfield(1, 1) == 1 then
        local rest = range:len() - offset
        local id_length = rest >= attested_length and range(offset + 16, 2):uint() or 0
        if rest < attested_length + id_length + 1 then
            node:add_proto_expert_info(hybrid.experts.malformed, "the attested credential is cut off")
            return
        end
        node:add(F.aaguid, range(offset, 16))
        offset = offset + attested_length
        if id_length > 0 then
            node:add(F.credential_id, range(offset, id_length))
            offset = offset + id_length
        end
        local key_length = hybrid.cbor.item(walk, node, range(offset), 0, "public key", cose_key, depth, {})
        if not key_length then
            return
        end
        offset = offset + key_length
    end
    local rest = range:len() - offset
    if range(32, 1):bitfield(0, 1) == 1 and rest > 0 then
        hybrid.cbor.read(node, range(offset), "extensions", extensions, walk, depth)
    elseif rest > 0 then
        local what = hybrid.count(rest, "byte") .. " behind the authenticator data"
        node:add_proto_expert_info(hybrid.experts.refused, what)
    end
end
local auth_data = { name = "authData", field = F.auth_data, major = 2, inside = read_auth_data }

local requests = {
    [0x01] = {
        keys = {
            bytes("clientDataHash", F.client_data_hash), rp, user, list("pubKeyCredParams", parameter),
            descriptors("excludeList"), extensions, options, named("pinUvAuthParam"), named("pinUvAuthProtocol"),
            named("enterpriseAttestation"), named("attestationFormatsPreference"),
        },
    },
    [0x02] = {
        keys = {
            text("rpId", F.rp_id), bytes("clientDataHash", F.client_data_hash), descriptors("allowList"), extensions,
            options, named("pinUvAuthParam"), named("pinUvAuthProtocol"), named("enterpriseAttestation"),
            named("attestationFormatsPreference"),
        },
    },
    [0x06] = {
        keys = {
            named("pinUvAuthProtocol"), named("subCommand"), { name = "keyAgreement", keys = cose_key.keys },
            named("pinUvAuthParam"), named("newPinEnc"), named("pinHashEnc"), [9] = named("permissions"),
            [10] = text("rpId", F.rp_id),
        },
    },
}
local made_credential = {
    keys = {
        text("fmt", F.attestation_format), auth_data, { name = "attStmt", keys = { sig = bytes("sig", F.signature) } },
        named("epAtt"), named("largeBlobKey"), { name = "unsignedExtensionOutputs", any = {}, key_field = F.extension },
    },
}
local assertion = {
    keys = {
        { name = "credential", keys = descriptor.keys }, auth_data, bytes("signature", F.signature), user,
        named("numberOfCredentials"), named("userSelected"), named("largeBlobKey"),
        { name = "unsignedExtensionOutputs", any = {}, key_field = F.extension }, named("epAtt"), named("attStmt"),
    },
}
local client_pin = {
    keys = {
        { name = "keyAgreement", keys = cose_key.keys }, named("pinUvAuthToken"), named("pinRetries"),
        named("powerCycleState"), named("uvRetries"),
    },
}
ctap.info = {
    keys = {
        list("versions", text(nil, F.ctap_version)), list("extensions", text(nil, F.extension)), 
        bytes("aaguid", F.aaguid), options, named("maxMsgSize"), named("pinUvAuthProtocols"),
        named("maxCredentialCountInList"), named("maxCredentialIdLength"), list("transports", text(nil, F.transport)),
        list("algorithms", parameter),
        named("maxSerializedLargeBlobArray"), named("forcePINChange"), named("minPINLength"), named("firmwareVersion"),
        named("maxCredBlobLength"), named("maxRPIDsForSetMinPINLength"), named("preferredPlatformUvAttempts"),
        named("uvModality"), named("certifications"), named("remainingDiscoverableCredentials"),
        named("vendorPrototypeConfigCommands"), list("attestationFormats", text(nil, F.attestation_format)),
        named("uvCountSinceLastPinEntry"), named("longTouchForReset"), named("encIdentifier"),
        named("transportsForReset"), named("pinComplexityPolicy"), named("pinComplexityPolicyURL"),
        named("maxPINLength"), named("encCredStoreState"), named("authenticatorConfigCommands"),
    },
}

-- An answer does not say what it answers. Its first members do: key 1 is a text in that of makeCredential, an array in
-- that of getInfo, and a COSE key, whose first key is 1, in that of clientPIN; key 2 is a short token there, and
-- authenticator data else.
local function answer_schema(range)
    local map = hybrid.cbor.read_head(range, 0)
    if not map or map.major ~= 5 or map.argument == 0 or range:len() < 3 then
        return {}, nil
    end
    local first_key = range(1, 1):uint()
    local value = hybrid.cbor.read_head(range, 2)
    if first_key == 1 and value and value.major == 3 then
        return made_credential, "makeCredential"
    elseif first_key == 1 and value and value.major == 4 then
        return ctap.info, "getInfo"
    elseif first_key == 1 and value and value.major == 5 and range:len() > 3 and range(3, 1):uint() == 1 then
        return client_pin, "clientPIN"
    elseif first_key == 2 and value and value.major == 2 and value.argument < auth_data_length then
        return client_pin, "clientPIN"
    elseif first_key == 1 or first_key == 2 then
        return assertion, "getAssertion"
    end
    return {}, nil
end

local function short(name) return (name:gsub("^authenticator(.)", string.lower)) end

-- A request: command and parameters. Returns what it is, in a few words.
function ctap.read_request(node, range)
    local command = range(0, 1):uint()
    node:add(F["ctap.command"], range(0, 1))
    local walk = hybrid.cbor.walk()
    if range:len() > 1 then
        hybrid.cbor.read(node, range(1), "parameters", requests[command], walk)
    end
    local name = hybrid.names.command[command]
    if not name then
        node:add_proto_expert_info(hybrid.experts.note, "an unknown command")
    end
    local what = name and short(name) or string.format("command 0x%02x", command)
    return walk.rp_id and what .. " for " .. walk.rp_id or what
end

-- An answer: status and result. Returns what it is, in a few words.
function ctap.read_response(node, range)
    local status = range(0, 1):uint()
    node:add(F["ctap.status"], range(0, 1))
    local name = hybrid.names.status[status] or string.format("status 0x%02x", status)
    if range:len() == 1 then
        return name
    end
    local schema, kind = answer_schema(range(1))
    hybrid.cbor.read(node, range(1), "result", schema)
    return name .. (kind and ", " .. kind or "")
end
