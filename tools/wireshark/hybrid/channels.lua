-- The ways that messages take: L2CAP channels, WebSockets of the subprotocol fido.cable, the requests for them; and the
-- place of all that in Wireshark's tables.

local hybrid = ...
if type(hybrid) ~= "table" then
    return
end

local F, experts, stream = hybrid.fields, hybrid.experts, hybrid.stream
local AEAD_TAG = 16
-- The dynamic range of PSMs of Low Energy.
local FIRST_PSM, LAST_PSM = 0x80, 0xff
-- The dynamic range of channel identifiers on Low Energy.
local FIRST_CHANNEL, LAST_CHANNEL = 0x40, 0x7f
local SUBPROTOCOL = "fido.cable"

-- A sealed frame, as far as it is in this range.
local function read_frame(node, range, length, ordinal)
    node:add(F["frame.number"], range, ordinal):set_generated()
    local length_node = node:add(F["frame.length"], range, length)
    length_node:set_generated()
    if length < AEAD_TAG then
        length_node:add_proto_expert_info(experts.malformed, "shorter than a tag")
    elseif range:len() == length then
        if length > AEAD_TAG then
            node:add(F["frame.sealed"], range(0, length - AEAD_TAG))
        end
        node:add(F["frame.tag"], range(length - AEAD_TAG, AEAD_TAG))
    end
    if not stream.is_usual(length) then
        length_node:add_proto_expert_info(experts.note, "not a usual length, which is 32k + 16 or 32k + 17")
    end
    return string.format("sealed frame %d, %s", ordinal, hybrid.count(length, "byte"))
end

local connect_field, psm_field, request_field =
    Field.new("btl2cap.connect_in"), Field.new("btl2cap.psm"), Field.new("btl2cap.le_psm")
local adapter_field, handle_field, access_address_field =
    Field.new("hci_mon.adapter_id"), Field.new("bthci_acl.chandle"), Field.new("btle.access_address")

local function read_part(node, range, part, sender)
    if part.kind == "terminator" then
        node:add(F.terminator, range)
        return "terminator"
    end
    local message = part.message
    node:add(F.direction, range, sender):set_generated()
    node:add(F.carrier, range, 1):set_generated()
    if part.kind == "part" then
        if message.last_packet then
            node:add(F["frame.ends_in"], message.last_packet):set_generated()
        end
        return string.format("%s of a message", hybrid.count(part.length, "byte"))
    end
    local whole = range
    if message.first ~= message.last_packet then
        node:add(F["frame.begins_in"], message.first):set_generated()
        whole = ByteArray.new(message.bytes, true):tvb("message")()
    end
    if part.kind == "handshake" then
        return hybrid.message.read_handshake(node, whole, sender + 1)
    end
    return read_frame(node, whole, whole:len(), part.ordinal)
end

-- Shows what an SDU holds. Returns whether the channel is hybrid's.
local function read_sdu(range, channel, pinfo, tree)
    local found = stream.parts(channel, pinfo.p2p_dir, range, pinfo)
    if not found then
        return false
    end
    local sender = found.is_client and 0 or 1
    local said = {}
    for _, part in ipairs(found.parts) do
        local part_range = part.length > 0 and range(part.offset, part.length) or range(part.offset)
        local node = tree:add(hybrid.protocol, part_range)
        local what = read_part(node, part_range, part, sender)
        node:append_text(string.format(", %s: %s", hybrid.names.sender[sender], what))
        if part.kind ~= "terminator" or #found.parts == 1 then
            table.insert(said, what)
        end
    end
    pinfo.cols.protocol = "Hybrid"
    pinfo.cols.info = hybrid.names.sender[sender] .. ": " .. table.concat(said, "; ")
    return true
end

local l2cap = Proto("hybrid_l2cap", "FIDO hybrid transport, BLE data channel")
function l2cap.dissector(tvb, pinfo, tree)
    local connected = connect_field()
    local channel = tostring(connected and connected.value or "PSM " .. tostring(pinfo.match))
    return read_sdu(tvb(), channel, pinfo, tree) and tvb:len() or 0
end

-- Wireshark knows no PSM of what the end that was connected to receives, and gives it as it is: pieces of SDUs, the
-- first with the SDU's length. They are joined here, if the SDU can be hybrid's.
local requests, pieces, joined = {}, {}, {}
function hybrid.reset_channels()
    requests, pieces, joined = {}, {}, {}
end
local function link_of()
    local link = access_address_field() or handle_field()
    local adapter = adapter_field()
    return tostring(adapter and adapter.value) .. ":" .. tostring(link and link.value)
end

local fragments = Proto("hybrid_l2cap_pieces", "FIDO hybrid transport, BLE data channel in pieces")
function fragments.dissector(tvb, pinfo, tree)
    if psm_field() then
        return 0
    end
    if not pinfo.visited then
        local link = link_of()
        local key = link .. ":" .. tostring(pinfo.match) .. ":" .. tostring(pinfo.p2p_dir)
        local sdu = pieces[key]
        local bytes = tvb():bytes():raw()
        if not sdu and #bytes > 2 then
            sdu = { missing = bytes:byte(1) + 256 * bytes:byte(2), chunks = {} }
            bytes = bytes:sub(3)
        end
        joined[pinfo.number] = nil
        if sdu and #bytes <= sdu.missing then
            table.insert(sdu.chunks, bytes)
            sdu.missing = sdu.missing - #bytes
            pieces[key] = sdu.missing > 0 and sdu or nil
            if sdu.missing == 0 then
                joined[pinfo.number] = { bytes = table.concat(sdu.chunks), channel = tostring(requests[link] or key) }
            end
        else
            pieces[key] = nil
        end
    end
    local sdu = joined[pinfo.number]
    if not sdu then
        return 0
    end
    local range = ByteArray.new(sdu.bytes, true):tvb("SDU")()
    return read_sdu(range, sdu.channel, pinfo, tree) and tvb:len() or 0
end

local tcp_stream, source_port = Field.new("tcp.stream"), Field.new("tcp.srcport")

-- By TCP connection: the port that sent the first handshake message, and by port how many messages came. By packet:
-- what was found.
local tunnels, tunnel_found = {}, {}
function hybrid.reset_tunnels()
    tunnels, tunnel_found = {}, {}
end

local web_socket = Proto("hybrid_tunnel", "FIDO hybrid transport, tunnel")
function web_socket.dissector(tvb, pinfo, tree)
    if tvb:len() == 0 then
        return 0
    end
    local connection, port = tcp_stream(), source_port()
    local key = tostring(connection and connection.value)
    local from = port and port.value or 0
    -- A packet may hold several messages: they are told apart by their order.
    local packet = tunnel_found[pinfo.number]
    if not pinfo.visited then
        local state = tunnels[key] or {}
        tunnels[key] = state
        local is_handshake = not state[from] and tvb:len() >= hybrid.message.handshake_length and tvb(0, 1):uint() == 4
        if is_handshake then
            state.client = state.client or from
            state[from] = -1
        elseif state[from] then
            state[from] = state[from] + 1
        end
        packet = packet or {}
        tunnel_found[pinfo.number] = packet
        packet[tvb:offset() .. ":" .. tvb:len()] = {
            is_handshake = is_handshake,
            ordinal = state[from],
            is_client = state.client == from,
        }
    end
    local found = packet and packet[tvb:offset() .. ":" .. tvb:len()] or {}
    pinfo.cols.protocol = "Hybrid"
    local node = tree:add(hybrid.protocol, tvb())
    local direction = found.is_client and 0 or 1
    local what
    if not found.ordinal then
        local is_signal = tvb:len() == 1 and tvb(0, 1):uint() == 0
        if is_signal then
            node:add(F["tunnel.signal"], tvb(), true)
        end
        what = is_signal and "the authenticator has connected" or "a message before the handshake"
        pinfo.cols.info = what
    else
        node:add(F.direction, tvb(), direction):set_generated()
        node:add(F.carrier, tvb(), 0):set_generated()
        what = found.is_handshake and hybrid.message.read_handshake(node, tvb(), direction + 1)
            or read_frame(node, tvb(), tvb:len(), found.ordinal)
        what = hybrid.names.sender[direction] .. ": " .. what
        pinfo.cols.info = what
    end
    node:append_text(", " .. what)
    return tvb:len()
end

-- Wireshark 4.4 names the request in its answer too, but not its method.
local method_field, uri_field, header_field =
    Field.new("http.request.method"), Field.new("http.request.uri"), Field.new("http.response.line")

local function add_hex(node, field, digits)
    if #digits > 0 and #digits % 2 == 0 and digits:match("^%x+$") then
        node:add(field, ByteArray.new(digits):tvb("hexadecimal digits")())
    end
end

-- Requests for tunnels, and the routing ID in the answer.
local function find_request(pinfo, tree)
    local uri = method_field() and uri_field()
    local kind, rest = tostring(uri and uri.value or ""):match("/cable/(%a+)/([%w%-_/]+)$")
    if kind == "new" or kind == "connect" or kind == "contact" then
        local node = tree:add(hybrid.protocol, uri.range)
        node:add(F["tunnel.request"], uri.range, kind)
        if kind == "contact" then
            node:add(F["tunnel.contact_id"], uri.range, rest)
        else
            local routing_id, tunnel_id = rest:match("^(%x*)/?(%x*)$")
            if kind == "new" then
                routing_id, tunnel_id = "", routing_id
            end
            add_hex(node, F["tunnel.routing_id"], routing_id or "")
            add_hex(node, F["tunnel.id"], tunnel_id or "")
        end
        node:append_text(", tunnel request: " .. kind)
        pinfo.cols.info:append(" [hybrid: " .. kind .. "]")
    end
    for _, header in ipairs({ header_field() }) do
        local digits = tostring(header.value):lower():match("^x%-cable%-routing%-id:%s*(%x+)%s*$")
        if digits then
            add_hex(tree:add(hybrid.protocol, header.range), F["tunnel.routing_id"], digits)
            pinfo.cols.info:append(" [hybrid: routing ID " .. digits .. "]")
        end
    end
end

local finder = Proto("hybrid_finder", "FIDO hybrid transport, adverts and tunnel requests")
function finder.dissector(_, pinfo, tree)
    if request_field() and not pinfo.visited then
        requests[link_of()] = pinfo.number
    end
    hybrid.advert.find(pinfo, tree)
    find_request(pinfo, tree)
end
register_postdissector(finder)

local psms = DissectorTable.get("btl2cap.psm")
for psm = FIRST_PSM, LAST_PSM do
    psms:add(psm, l2cap)
end
local channel_ids = DissectorTable.get("btl2cap.cid")
for channel_id = FIRST_CHANNEL, LAST_CHANNEL do
    channel_ids:add(channel_id, fragments)
end
DissectorTable.get("ws.protocol"):add(SUBPROTOCOL, web_socket)
