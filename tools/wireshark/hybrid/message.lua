-- Handshake messages, decrypted messages, and the PDUs in which `hybrid inspect --decrypted` exports them: version (1),
-- direction, carrier, kind, and then the bytes. See the project's articles NoiseHandshake and Messages.

local hybrid = ...
if type(hybrid) ~= "table" then
    return
end

local F, names, experts = hybrid.fields, hybrid.names, hybrid.experts
local HEADER, HANDSHAKE, KEY = 4, 81, 65
local CLIENT, AUTHENTICATOR = 0, 1
local KIND_HANDSHAKE, KIND_MESSAGE, KIND_ADVERT = 0, 1, 2
local message = { handshake_length = HANDSHAKE }
hybrid.message = message

local function malformed(node, what)
    node:add_proto_expert_info(experts.malformed, what)
end
local function refused(node, what)
    node:add_proto_expert_info(experts.refused, what)
end

-- A handshake message: an ephemeral key, and the tag of an empty payload. Returns what it is, in a few words.
function message.read_handshake(node, range, number)
    if number then
        node:add(F["handshake.message"], range, number)
    end
    if range:len() < HANDSHAKE then
        malformed(node, string.format("a handshake message has %d bytes, this one %d", HANDSHAKE, range:len()))
    else
        node:add(F["handshake.ephemeral_key"], range(0, KEY))
        node:add(F["handshake.tag"], range(KEY, HANDSHAKE - KEY))
        if range(0, 1):uint() ~= 4 then
            refused(node, "the ephemeral key is not an uncompressed point")
        end
        if range:len() > HANDSHAKE then
            refused(node, hybrid.count(range:len() - HANDSHAKE, "byte") .. " behind the tag")
        end
    end
    return "handshake message" .. (number and " " .. number or "")
end

local link = {
    name = "linking map",
    keys = {
        { name = "contact ID", field = F["link.contact_id"] }, { name = "link ID", field = F["link.id"] },
        { name = "link secret", field = F["link.secret"] }, { name = "public key", field = F["link.public_key"] },
        { name = "name", field = F["link.name"], major = 3 }, { name = "signature", field = F["link.signature"] },
        [999] = { name = "from Play Services" },
    },
}
local update = { keys = { [0] = { name = "filler", field = F.filler }, [1] = link } }
local function read_info(walk, node, range, depth)
    hybrid.cbor.read(node, range, "getInfo response", hybrid.ctap.info, walk, depth)
end
local first_message = {
    keys = {
        [0] = { name = "filler", field = F.filler },
        [1] = { name = "getInfo", inside = read_info },
        [2] = link,
        [3] = { name = "features", items = { field = F.feature, major = 3 } },
    },
}

local function is_map(range, offset)
    local first = range:len() > offset and range(offset, 1):uint() or 0
    return first >= 0xa0 and first <= 0xbf
end

-- How many bytes of a first message of revision 0 are its map: zeros follow, and their number in two bytes or in one.
-- Nil if it is none: the map takes up all of it, or what follows is no such padding.
local function unpadded(range)
    local length, map_length = range:len(), hybrid.cbor.length(range)
    local rest = length - (map_length or length)
    local counted_in_two = length % 512 == 0 and rest >= 2 and range(length - 2, 2):le_uint() == rest - 2
    local counted_in_one = length % 256 == 0 and rest >= 1 and range(length - 1, 1):uint() == rest - 1
    return (counted_in_two or counted_in_one) and map_length or nil
end

-- The revision that a message belongs to, by the first message before it. What was seen first decides, for Wireshark
-- reads packets again in any order.
local revision, revision_of = 1, {}
function message.reset()
    revision, revision_of = 1, {}
end
local function revision_at(pinfo, change)
    if not pinfo.visited then
        revision = change or revision
        revision_of[pinfo.number] = revision
    end
    return revision_of[pinfo.number] or revision
end

local function read_first_message(node, range, pinfo)
    node:add(F.first_message, range, true):set_generated()
    local map_length = unpadded(range)
    node:add(F.revision, range, revision_at(pinfo, map_length and 0 or 1)):set_generated()
    hybrid.cbor.read(node, map_length and range(0, map_length) or range, "first message", first_message)
    return "first message" .. (map_length and ", revision 0" or "")
end

local function read_json(node, range, pinfo, tree)
    node:add_packet_field(F.json, range, ENC_UTF_8)
    local json = Dissector.get("json")
    if json then
        json:call(range:tvb(), pinfo, tree)
    end
    return "JSON"
end

-- A message after its padding is removed. Returns what it is, in a few words.
function message.read(node, range, direction, pinfo, tree)
    if direction == AUTHENTICATOR and is_map(range, 0) then
        return read_first_message(node, range, pinfo)
    end
    if revision_at(pinfo) == 0 then
        node:add(F.revision, range, 0):set_generated()
        return direction == CLIENT and hybrid.ctap.read_request(node, range) or hybrid.ctap.read_response(node, range)
    end
    local kind = range(0, 1):uint()
    local rest = range:len() > 1 and range(1) or nil
    local kind_node = node:add(F.type, range(0, 1))
    if kind == 0 then
        if rest then
            refused(kind_node, "a shutdown with a payload")
        end
        return "shutdown"
    elseif kind > 3 then
        refused(kind_node, "an unknown message type")
        return string.format("message of type %d", kind)
    elseif not rest then
        malformed(kind_node, "nothing behind the message type")
        return names.type[kind] .. ", empty"
    elseif kind == 1 then
        return direction == CLIENT and hybrid.ctap.read_request(node, rest) or hybrid.ctap.read_response(node, rest)
    elseif kind == 2 then
        hybrid.cbor.read(node, rest, "update", update)
        return "update"
    end
    return read_json(node, rest, pinfo, tree)
end

function hybrid.protocol.dissector(tvb, pinfo, tree)
    pinfo.cols.protocol = "Hybrid"
    local node = tree:add(hybrid.protocol, tvb())
    if tvb:len() < HEADER then
        pinfo.cols.info = "cut off"
        malformed(node, "cut off in the header of the export")
        return tvb:len()
    end
    local version, direction = tvb(0, 1):uint(), tvb(1, 1):uint()
    local kind = tvb(3, 1):uint()
    node:add(F.version, tvb(0, 1))
    node:add(F.direction, tvb(1, 1))
    node:add(F.carrier, tvb(2, 1))
    node:add(F.kind, tvb(3, 1))
    local what
    if version ~= 1 or direction > AUTHENTICATOR or kind > KIND_ADVERT then
        refused(node, "an export of a kind that this dissector does not know")
        what = "unknown"
    elseif tvb:len() == HEADER then
        malformed(node, "an empty message")
        what = "empty"
    elseif kind == KIND_HANDSHAKE then
        revision_at(pinfo, 1)
        what = message.read_handshake(node, tvb(HEADER), direction == CLIENT and 1 or 2)
    elseif kind == KIND_MESSAGE then
        what = message.read(node, tvb(HEADER), direction, pinfo, tree)
    else
        what = hybrid.advert.read_exported(node, tvb(HEADER))
    end
    local sender = names.sender[direction] or "?"
    pinfo.cols.info = sender .. ": " .. what
    node:append_text(string.format(", %s: %s", sender, what))
    return tvb:len()
end

function hybrid.protocol.init()
    message.reset()
    hybrid.stream.reset()
    hybrid.reset_channels()
    hybrid.reset_tunnels()
end
