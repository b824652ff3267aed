-- A Wireshark dissector for the FIDO hybrid transport (caBLE v2): adverts, the BLE data channel, tunnels, and the
-- messages that `hybrid inspect --decrypted` writes. README.md beside this file says how to use it. For Wireshark 4.0
-- and later.

local source = debug.getinfo(1, "S").source
local folder = source:match("^@(.*[/\\])") or ""

-- What the parts share: each of them takes this table and adds to it.
local hybrid = {}
for _, part in ipairs({ "names", "made_names", "fields", "cbor", "ctap", "message", "advert", "stream", "channels" }) do
    local load_part, reason = loadfile(folder .. "hybrid/" .. part .. ".lua")
    if not load_part then
        error("hybrid.lua needs its folder hybrid beside it: " .. tostring(reason))
    end
    load_part(hybrid)
end
