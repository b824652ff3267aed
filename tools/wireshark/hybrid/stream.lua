-- Where messages end on the BLE data channel, which carries them as bytes in SDUs. The first 81 bytes of each direction
-- are its handshake message. If 0D 0A comes behind them, it ends every message of that sender; else each SDU is one
-- message. A terminator is looked for only where it ends a usual length, 32k + 16 or 32k + 17 bytes: see the project's
-- article L2CAP.

local hybrid = ...
if type(hybrid) ~= "table" then
    return
end

local HANDSHAKE, UNCOMPRESSED = hybrid.message.handshake_length, 4
local SMALLEST_FRAME, LONGEST_FRAME = 48, 1048576 + 256 + 16
local TERMINATOR, CARRIAGE_RETURN = "\r\n", "\r"
local stream = {}
hybrid.stream = stream

-- The directions of all channels, by channel and direction; and what was found in each packet.
local directions, found = {}, {}
function stream.reset()
    directions, found = {}, {}
end

function stream.is_usual(length)
    return length >= SMALLEST_FRAME and (length % 32 == 16 or length % 32 == 17)
end

-- How long the open message is if a frame ends in these further bytes: at their end if a terminator stands there behind
-- a usual length, else at the first such place. Several frames and their terminators together have no usual length.
local function frame_end(message, bytes)
    -- The terminator may have begun in the bytes before.
    local text, before = message.last_byte .. bytes, message.length - #message.last_byte
    if text:sub(-2) == TERMINATOR and stream.is_usual(before + #text - 2) then
        return before + #text - 2
    end
    local start = 0
    repeat
        start = text:find(TERMINATOR, start + 1, true)
    until not start or stream.is_usual(before + start - 1)
    return start and before + start - 1
end

local function append(message, bytes)
    table.insert(message.chunks, bytes)
    message.length = message.length + #bytes
    message.last_byte = #bytes > 0 and bytes:sub(-1) or message.last_byte
end

-- Adds a part of a message to what was found: its place in the SDU, and the message, which may end in a later packet.
local function add(parts, state, kind, offset, length, message)
    table.insert(parts, { kind = kind, offset = offset, length = length, message = message, ordinal = state.frames })
end

-- Takes the bytes of an SDU. What belongs to one message over several SDUs shares a table: its first and last packet,
-- its bytes.
local function feed(state, sdu, packet)
    local parts, at = {}, 0
    local function open_message()
        state.message = state.message or { first = packet, chunks = {}, length = 0, last_byte = "" }
        return state.message
    end
    -- Ends the open message, of such a length, after so many more bytes of this SDU.
    local function close(kind, length, more)
        local message = open_message()
        append(message, sdu:sub(at + 1, at + more))
        message.bytes, message.chunks = table.concat(message.chunks):sub(1, length), nil
        message.last_packet = packet
        add(parts, state, kind, at, more, message)
        at, state.message = at + more, nil
    end
    local function terminator()
        local rest = sdu:sub(at + 1)
        local split = state.half_terminator and rest:sub(1, 1) == "\n"
        if rest:sub(1, 2) == TERMINATOR or split then
            add(parts, state, "terminator", at, split and 1 or 2)
            at, state.half_terminator = at + (split and 1 or 2), false
            return true
        elseif rest == CARRIAGE_RETURN and not state.half_terminator then
            add(parts, state, "terminator", at, 1)
            at, state.half_terminator = at + 1, true
            return true
        end
        state.half_terminator = false
        return false
    end
    while at < #sdu do
        local rest = #sdu - at
        if not state.handshake_done then
            local missing = HANDSHAKE - open_message().length
            if rest < missing then
                break
            end
            close("handshake", HANDSHAKE, missing)
            state.handshake_done = true
        elseif not state.message and state.terminated ~= false and terminator() then
            state.terminated = true
        elseif state.terminated then
            local message = open_message()
            local before = message.length
            local length = frame_end(message, sdu:sub(at + 1))
            if not length then
                break
            end
            close("frame", length, math.max(length - before, 0))
            state.frames = state.frames + 1
            if length < before then
                add(parts, state, "terminator", at, 1)
                at = at + 1
            end
        else
            state.terminated = false
            close("frame", rest, rest)
            state.frames = state.frames + 1
        end
    end
    if at < #sdu then
        local message = open_message()
        append(message, sdu:sub(at + 1))
        add(parts, state, "part", at, #sdu - at, message)
        state.is_lost = message.length > LONGEST_FRAME
    end
    return parts
end

-- What is in an SDU, or nil if the channel is none of hybrid: it does not begin with an uncompressed point. `starter`
-- is who has sent the first handshake message of the channel, the client.
function stream.parts(channel, direction, range, pinfo)
    local key = pinfo.number
    if not pinfo.visited then
        local both = directions[channel] or { starter = direction }
        directions[channel] = both
        local state = both[direction] or { frames = 0 }
        both[direction] = state
        local bytes = range:bytes():raw()
        local is_beginning = not state.handshake_done and not state.message
        if #bytes == 0 or state.is_lost or (is_beginning and bytes:byte() ~= UNCOMPRESSED) then
            state.is_lost = true
            found[key] = nil
        else
            found[key] = { parts = feed(state, bytes, pinfo.number), is_client = both.starter == direction }
        end
    end
    return found[key]
end
