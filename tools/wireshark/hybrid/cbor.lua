-- A bounded reader of CBOR (RFC 8949) that builds the tree, with the names of a schema. CTAP's canonical form is
-- demanded; what deviates from it is said, and read on where it can be.
--
-- A schema is a table: name; field, to filter by; major, the type that the field needs; keys, the schemas of a map's
-- values by key; any, the schema of the values under other keys; items, that of an array's elements; pair_field and
-- key_field, filled with "key=value" and with the key of each entry; inside, a function that reads the contents of a
-- byte string.

local hybrid = ...
if type(hybrid) ~= "table" then
    return
end

local cbor = { max_depth = 16, max_items = 4096 }
hybrid.cbor = cbor

local UNSIGNED, NEGATIVE, BYTES, TEXT, ARRAY, MAP, TAG = 0, 1, 2, 3, 4, 5, 6
local argument_sizes = { [24] = 1, [25] = 2, [26] = 4, [27] = 8 }
-- The least value that needs so many bytes.
local least = { 24, 0x100, [4] = 0x10000, [8] = 0x100000000 }
local simple_values = { [20] = "false", [21] = "true", [22] = "null", [23] = "undefined" }
local shown_bytes, shown_characters, longest_read_text = 32, 64, 1024

-- What is wrong with an item, at a node of the tree. Returns nil, for callers that stop there.
local function malformed(node, what)
    node:add_proto_expert_info(hybrid.experts.malformed, "CBOR: " .. what)
    return nil
end
local function refused(node, what)
    node:add_proto_expert_info(hybrid.experts.refused, "CBOR: " .. what)
end

-- The head of an item: major type, argument as a number, its bytes, and "not canonical" if it is longer than it need
-- be; or nil and what is wrong. Numbers of 2^53 and more are not exact, and longer than any input.
local function read_head(range, offset)
    if offset >= range:len() then
        return nil, "an item is missing"
    end
    local first = range(offset, 1):uint()
    local major, info = math.floor(first / 32), first % 32
    if info < 24 then
        return { major = major, info = info, argument = info, size = 1 }
    end
    local size = argument_sizes[info]
    if not size then
        return nil, info == 31 and "indefinite length" or "a reserved length"
    end
    if offset + 1 + size > range:len() then
        return nil, "cut off in a length"
    end
    local argument
    if size == 8 then
        local high, low = range(offset + 1, 4):uint(), range(offset + 5, 4):uint()
        argument = high == 0 and low or high * 4294967296.0 + low
    else
        argument = range(offset + 1, size):uint()
    end
    local head = { major = major, info = info, argument = argument, size = 1 + size }
    head.too_long = major < 7 and argument < least[size]
    return head
end

-- How long the first item of a range is, with all that is in it; nil if it cannot be read.
function cbor.length(range)
    local offset, open = 0, 1
    for _ = 1, cbor.max_items do
        local head = read_head(range, offset)
        if not head then
            return nil
        end
        offset, open = offset + head.size, open - 1
        local rest = range:len() - offset
        if (head.major == BYTES or head.major == TEXT) and head.argument <= rest then
            offset = offset + head.argument
        elseif (head.major == ARRAY or head.major == MAP) and head.argument <= rest then
            open = open + head.argument * (head.major == MAP and 2 or 1)
        elseif head.major >= BYTES and head.major <= MAP then
            return nil
        elseif head.major == TAG then
            open = open + 1
        end
        if open == 0 then
            return offset
        end
    end
end

-- The length of a sequence of UTF-8 less one, and the range of its second byte, by its first byte.
local function sequence(first)
    if first < 0xc2 or first > 0xf4 then
        return nil
    end
    local least_second = ({ [0xe0] = 0xa0, [0xf0] = 0x90 })[first] or 0x80
    local most_second = ({ [0xed] = 0x9f, [0xf4] = 0x8f })[first] or 0xbf
    return first >= 0xf0 and 3 or first >= 0xe0 and 2 or 1, least_second, most_second
end

-- What is not UTF-8 becomes "?", byte by byte.
local function only_utf8(run)
    local out, at = {}, 1
    while at <= #run do
        local more, least_second, most_second = sequence(run:byte(at))
        local rest = more and run:sub(at + 1, at + more) or ""
        local is_whole = more and #rest == more and rest:find("^[\128-\191]+$")
        if is_whole and rest:byte() >= least_second and rest:byte() <= most_second then
            table.insert(out, run:sub(at, at + more))
            at = at + more + 1
        else
            table.insert(out, "?")
            at = at + 1
        end
    end
    return table.concat(out)
end

-- The beginning of a text, in UTF-8. Wireshark's own reading ends at a zero in some versions.
local function read_text(range)
    local bytes = range(0, math.min(range:len(), longest_read_text)):bytes():raw()
    return (bytes:gsub("[\128-\255]+", only_utf8))
end

-- Text for people: in UTF-8, without control characters and changes of direction, cut to what fits into a line.
function cbor.printable(text)
    local shown = text:gsub("%c", "?"):gsub("\226\128[\170-\174]", "?"):gsub("\226\129[\166-\169]", "?")
    if #shown > shown_characters then
        shown = shown:sub(1, shown_characters):gsub("[\192-\255]?[\128-\191]*$", "") .. "..."
    end
    return shown
end

local function integer_text(range, offset, head)
    if head.size ~= 9 then
        return string.format("%d", head.major == UNSIGNED and head.argument or -1 - head.argument)
    end
    local text = tostring(range(offset + 1, 8):uint64())
    return head.major == UNSIGNED and text or "-1 - " .. text
end

local function string_text(content, head)
    if head.major == TEXT then
        return '"' .. (content and cbor.printable(read_text(content)) or "") .. '"'
    end
    if not content then
        return "h''"
    end
    local shown = content(0, math.min(content:len(), shown_bytes)):bytes():tohex(true)
    local length = content:len()
    return string.format("h'%s%s' (%s)", shown, length > shown_bytes and "..." or "", hybrid.count(length, "byte"))
end

-- The name of a key beside the key itself, as "rp (2)".
local function label_of(key, schema)
    if not schema or not schema.name or schema.name == key then
        return cbor.printable(tostring(key))
    end
    return string.format("%s (%s)", schema.name, tostring(key))
end

-- A leaf of the tree, under its field if it has the field's type.
local function leaf(walk, parent, range, content, value, label, schema, head)
    local field, node = schema.field, nil
    if field and field == hybrid.fields.rp_id and head.major == TEXT then
        walk.rp_id = value
    end
    if field and head.major == (schema.major or BYTES) then
        if content and head.major == TEXT then
            node = parent:add_packet_field(field, content, ENC_UTF_8)
        elseif content then
            node = parent:add(field, content)
        elseif head.major == TEXT then
            node = parent:add(field, range, "")
        elseif head.major == UNSIGNED or head.major == NEGATIVE then
            local number = head.major == UNSIGNED and head.argument or -1 - head.argument
            if number >= -0x80000000 and number <= 0x7fffffff then
                node = parent:add(field, range, number)
            end
        end
    end
    node = node or parent:add(range, "")
    node:set_text(label .. ": " .. value)
    if field and head.major ~= (schema.major or BYTES) then
        refused(node, "another type than CTAP gives it")
    end
    return node
end

local item

-- The entries of a map: returns the offset behind them, or nil.
local function entries(walk, node, range, offset, count, schema, depth)
    local last_key
    for _ = 1, count do
        local head, reason = read_head(range, offset)
        if not head then
            return malformed(node, reason)
        end
        local behind, key = offset + head.size, nil
        if head.major == UNSIGNED then
            key = head.argument
        elseif head.major == NEGATIVE then
            key = -1 - head.argument
        elseif (head.major == TEXT or head.major == BYTES) and head.argument <= range:len() - behind then
            local content = head.argument > 0 and range(behind, head.argument)
            behind = behind + head.argument
            key = not content and "" or head.major == TEXT and read_text(content) or content:bytes():tohex(true)
        else
            return malformed(node, "a map's key is cut off, or neither integer nor string")
        end
        if head.too_long then
            refused(node, "a key is longer than it need be")
        end
        local encoded = range(offset, behind - offset):bytes():tohex(true)
        local order = string.format("%d%08x", head.major, #encoded) .. encoded
        if last_key and order <= last_key then
            refused(node, order == last_key and "a key is there twice" or "keys are not in canonical order")
        end
        last_key = order
        local entry = schema.keys and schema.keys[key] or schema.any or {}
        local value = { key = key }
        local shown = type(key) == "number" and string.format("%.0f", key) or key
        if schema.key_field then
            node:add(schema.key_field, range(offset, behind - offset), cbor.printable(shown)):set_hidden(true)
        end
        local next_offset = item(walk, node, range, behind, label_of(shown, entry), entry, depth, value)
        if not next_offset then
            return nil
        end
        if schema.pair_field and value.text then
            local pair = cbor.printable(shown) .. "=" .. value.text
            node:add(schema.pair_field, range(offset, next_offset - offset), pair):set_hidden(true)
        end
        offset = next_offset
    end
    return offset
end

-- One item. Returns the offset behind it, or nil after it has said why there is none. `value` takes the text of a leaf.
item = function(walk, parent, range, offset, label, schema, depth, value)
    walk.items = walk.items + 1
    if walk.items > cbor.max_items then
        return malformed(parent, "more than " .. cbor.max_items .. " items")
    elseif depth > cbor.max_depth then
        return malformed(parent, "nested deeper than " .. cbor.max_depth .. " levels")
    end
    local head, reason = read_head(range, offset)
    if not head then
        return malformed(parent, reason)
    end
    local behind, rest = offset + head.size, range:len() - offset - head.size
    local node
    if head.major == BYTES or head.major == TEXT then
        if head.argument > rest then
            return malformed(parent:add(range(offset), label), "a string is cut off")
        end
        local content = head.argument > 0 and range(behind, head.argument) or nil
        local inside = content and schema.inside
        behind = behind + head.argument
        local text = string_text(content, head)
        node = leaf(walk, parent, range(offset, behind - offset), content, text, label, schema, head)
        if inside and head.major == BYTES then
            inside(walk, node, content, depth + 1)
        end
    elseif head.major == ARRAY or head.major == MAP then
        local is_map = head.major == MAP
        -- Each element has a byte at least, each entry two.
        if head.argument * (is_map and 2 or 1) > rest then
            return malformed(parent:add(range(offset), label), "an array or map is cut off")
        end
        local size = string.format("%s of %d", is_map and "map" or "array", head.argument)
        node = parent:add(range(offset), label .. ": " .. size)
        if is_map then
            behind = entries(walk, node, range, behind, head.argument, schema, depth + 1)
        else
            for index = 1, head.argument do
                behind = item(walk, node, range, behind, tostring(index - 1), schema.items or {}, depth + 1, {})
                if not behind then
                    break
                end
            end
        end
        if not behind then
            return nil
        end
        node:set_len(behind - offset)
    elseif head.major == TAG then
        node = parent:add(range(offset, head.size), string.format("%s: tag %.0f", label, head.argument))
        refused(node, "a tag")
        behind = item(walk, node, range, behind, "tagged", schema, depth + 1, {})
    elseif head.major < BYTES then
        local text = integer_text(range, offset, head)
        if value then
            value.text = text
        end
        node = leaf(walk, parent, range(offset, head.size), nil, text, label, schema, head)
    else
        local text = simple_values[head.argument]
        if not text or head.size > 1 then
            text = head.size > 2 and "a floating-point number" or string.format("simple value %d", head.argument)
        end
        if value then
            value.text = text
        end
        node = leaf(walk, parent, range(offset, head.size), nil, text, label, schema, head)
    end
    if head.too_long then
        refused(node, "a length or number is longer than it need be")
    end
    return behind
end

-- What is counted and kept on the way through one message.
function cbor.walk()
    return { items = 0, rp_id = nil }
end

-- Reads one item that takes up the whole range. Returns whether it could be read.
function cbor.read(parent, range, label, schema, walk, depth)
    local behind = item(walk or cbor.walk(), parent, range, 0, label, schema or {}, depth or 0, {})
    if behind and behind < range:len() then
        parent:add_proto_expert_info(
            hybrid.experts.refused,
            "CBOR: " .. hybrid.count(range:len() - behind, "byte") .. " behind the item"
        )
    end
    return behind
end

cbor.item = item
cbor.read_head = read_head
