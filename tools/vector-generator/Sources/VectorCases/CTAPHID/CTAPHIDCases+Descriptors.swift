internal import CTAP
internal import Conformance
internal import Encodings
internal import KeyBroker
internal import LinuxSupport

// The descriptors that tell a security key from other HID devices.

extension CTAPHIDCases {
    private mutating func find(
        _ slug: String, _ comment: String, rule: String = "HT-HID-33", _ descriptor: [UInt8], _ isSecurityKey: Bool
    ) throws {
        let found = try layer.valid(
            "descriptor-\(slug)", comment, rule: rule, operation: "ctaphid.descriptor",
            input: ["descriptor": .hex(descriptor)])
        try found.check("is_security_key", is: .bool(isSecurityKey), in: slug)
    }

    mutating func addDescriptors() throws {
        let key = HIDDevice.securityKeyDescriptor
        let head = Array(key.prefix(7))
        let body = Array(key.dropFirst(7))
        let keyboard: [UInt8] = [
            0x05, 0x01, 0x09, 0x06, 0xA1, 0x01, 0x05, 0x07, 0x75, 0x08, 0x95, 0x08, 0x81, 0x02, 0x91, 0x02, 0xC0,
        ]
        try find("ours", "the descriptor of this project's device", rule: "HT-HID-32", key, true)
        try find("none", "no descriptor", [], false)
        try find("keyboard", "a keyboard", keyboard, false)
        try find("keyboard-and-key", "a keyboard that is a security key too", keyboard + key, true)
        try find("other-page", "another usage page", [0x06, 0xD1, 0xF1] + key.dropFirst(3), false)
        try find("other-usage", "another usage of the page", [0x06, 0xD0, 0xF1, 0x09, 0x02] + key.dropFirst(5), false)
        try find(
            "long-usage", "a usage of four bytes, which names the page", [0x0B, 1, 0, 0xD0, 0xF1] + key.dropFirst(5),
            true)
        try find(
            "first-usage", "two usages, of which the first counts", key.prefix(5) + [0x09, 0x02] + key.dropFirst(5),
            true)
        try find("logical", "a collection that is no application", key.prefix(6) + [2] + body, false)
        try find("inside", "inside another application", keyboard.dropLast() + key + [0xC0], false)
        try find("not-closed", "a collection that does not end", key.dropLast(), false)
        try find("closed-twice", "a collection that ends twice", key + [0xC0], false)
        try find("cut", "the last item is cut", key + [0x26, 0xFF], false)
        try find("long-item", "an item of the long form before it", [0xFE, 2, 1, 9, 9] + key, true)
        try find("cut-long-item", "an item of the long form that is cut", key + [0xFE, 2, 1, 9], false)
        try find("numbered", "reports with numbers", head + [0x85, 1] + body, false)
        try find(
            "pushed", "a page that is put by and fetched back",
            Array(key.prefix(3)) + [0xA4, 0x05, 0x01, 0xB4] + key.dropFirst(3), true)
        try find("popped", "a page that was not put by", [0xB4] + key, false)
        try find("without-output", "no output report", key.prefix(20) + [0xC0], false)
        try find(
            "huge", "a report of 2^32 - 1 times 2^32 - 1 bits",
            head + [0x77, 255, 255, 255, 255, 0x97, 255, 255, 255, 255, 0x81, 2] + body, false)
        try find("short-reports", "reports of 8 bytes", key.map { $0 == 0x40 ? 8 : $0 }, true)
    }
}
