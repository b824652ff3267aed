-- Adverts: service data of FFF9, and of Google's older FDE2, wherever Wireshark finds service data: HCI events and
-- commands, packets of the air. See the project's article Advert.

local hybrid = ...
if type(hybrid) ~= "table" then
    return
end

local F, experts = hybrid.fields, hybrid.experts
local SEALED, TAG, PLAINTEXT = 16, 4, 16
local ADVERT = SEALED + TAG
local KEY_OF_PSM, LAST_PSM = 1, 0xffff
local SERVICE, OLDER_SERVICE, DECOY = 0xfff9, 0xfde2, 0xfcf1
local advert = {}
hybrid.advert = advert

-- The suffix: one CBOR map from the number of a data channel to what it needs. For BLE that is a PSM.
local function read_suffix(node, range)
    local suffix = node:add(F["advert.suffix"], range)
    local map = hybrid.cbor.read_head(range, 0)
    if not map or map.major ~= 5 then
        suffix:add_proto_expert_info(experts.note, "no CBOR map: it is ignored, and the advert is kept")
        return nil
    end
    local is_read = hybrid.cbor.read(suffix, range, "channels", { keys = { [KEY_OF_PSM] = { name = "BLE" } } })
    local psm
    if is_read and is_read == range:len() then
        local offset = map.size
        for _ = 1, map.argument do
            local key = hybrid.cbor.read_head(range, offset)
            local value = key and key.major == 0 and hybrid.cbor.read_head(range, offset + key.size)
            if not value or value.major ~= 0 then
                break
            end
            if key.argument == KEY_OF_PSM then
                psm = value.argument
                break
            end
            offset = offset + key.size + value.size
        end
    end
    if not psm then
        return nil
    elseif psm == 0 or psm > LAST_PSM then
        suffix:add_proto_expert_info(experts.note, "no PSM: the tunnel is used")
        return nil
    end
    suffix:add(F["advert.psm"], range, psm):set_generated()
    return psm
end

-- Service data as received, or none. Returns what they are, in a few words.
function advert.read_service_data(node, range)
    local length = range and range:len() or 0
    node:add(F["advert.length"], length):set_generated()
    if length < ADVERT then
        node:add_proto_expert_info(experts.note, "fewer than 20 bytes: clients ignore them")
        return "no advert, " .. hybrid.count(length, "byte")
    end
    node:add(F["advert.sealed"], range(0, SEALED))
    node:add(F["advert.tag"], range(SEALED, TAG))
    local psm = length > ADVERT and read_suffix(node, range(ADVERT))
    return "advert" .. (psm and string.format(" with PSM %d", psm) or length > ADVERT and " with a suffix" or "")
end

-- The plaintext of an advert, in a session from a QR code. Returns what it is, in a few words.
local function read_plaintext(node, range)
    local reserved = node:add(F["advert.reserved"], range(0, 1))
    if range(0, 1):uint() ~= 0 then
        reserved:add_proto_expert_info(experts.refused, "the reserved byte is not zero")
    end
    node:add(F["advert.nonce"], range(1, 10))
    node:add(F["advert.routing_id"], range(11, 3))
    local domain = range(14, 2):le_uint()
    local domain_node = node:add_le(F["advert.tunnel_domain"], range(14, 2))
    if domain > 255 then
        domain_node:set_text("Tunnel domain: " .. domain .. ", a host computed from the number")
    end
    if domain >= 2 and domain <= 255 then
        domain_node:add_proto_expert_info(experts.refused, "a tunnel domain that is not assigned")
    end
    return string.format("opened advert, tunnel domain %d", domain)
end

-- What an export has of an advert: the opened plaintext, or service data as received.
function advert.read_exported(node, range)
    if range:len() == PLAINTEXT then
        return read_plaintext(node, range)
    end
    return advert.read_service_data(node, range)
end

local type_field, uuid_field, data_field =
    Field.new("btcommon.eir_ad.entry.type"),
    Field.new("btcommon.eir_ad.entry.uuid_16"),
    Field.new("btcommon.eir_ad.entry.service_data")
local SERVICE_DATA = 0x16

-- The values of a field in a packet, by the place where they begin, or by that where they end.
local function by_place(field, is_end)
    local values = {}
    for _, value in ipairs({ field() }) do
        values[value.offset + (is_end and value.len or 0)] = value
    end
    return values
end

-- Service data in a packet, as Wireshark's own dissectors found them: an AD type, a UUID, the data. Lists of UUIDs fill
-- the same field as the UUIDs.
function advert.find(pinfo, tree)
    local uuids = { uuid_field() }
    if #uuids == 0 then
        return
    end
    local types, data = by_place(type_field, true), by_place(data_field, false)
    for _, uuid in ipairs(uuids) do
        local kind, found = types[uuid.offset], data[uuid.offset + uuid.len]
        if not kind or kind.value ~= SERVICE_DATA then
            -- One of a list.
        elseif uuid.value == DECOY then
            tree:add(F.decoy, uuid.range, uuid.value)
            pinfo.cols.info:append(" [not hybrid: Google Nearby Presence]")
        elseif uuid.value == SERVICE or uuid.value == OLDER_SERVICE then
            local node = tree:add(hybrid.protocol, found and found.range or uuid.range)
            node:add(F["advert.uuid"], uuid.range, uuid.value)
            local what = advert.read_service_data(node, found and found.range)
            node:append_text(", " .. what)
            pinfo.cols.info:append(string.format(" [hybrid: %s]", what))
        end
    end
end
