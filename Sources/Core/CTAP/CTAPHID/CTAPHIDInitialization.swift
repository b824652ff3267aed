/// Optional capabilities of a device (CTAP 2.1 section 11.2.9.1.3).
package struct CTAPHIDCapabilities: OptionSet, Hashable, Sendable {
    /// The bits.
    package let rawValue: UInt8

    /// Makes a set of its bits.
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// It has CTAPHID_WINK.
    package static let wink = Self(rawValue: 0x01)
    /// It has CTAPHID_CBOR.
    package static let cbor = Self(rawValue: 0x04)
    /// It does not have CTAPHID_MSG.
    package static let noMessage = Self(rawValue: 0x08)
}

/// The version of a device, as its maker counts it: one byte each.
package struct CTAPHIDDeviceVersion: Hashable, Sendable {
    /// The major version.
    package let major: UInt8
    /// The minor version.
    package let minor: UInt8
    /// The build.
    package let build: UInt8

    /// Makes a version.
    package init(major: UInt8, minor: UInt8, build: UInt8) {
        self.major = major
        self.minor = minor
        self.build = build
    }
}

/// A device's answer to CTAPHID_INIT (CTAP 2.1 section 11.2.9.1.3; HT-HID-9).
package struct CTAPHIDInitialization: Hashable, Sendable {
    /// The length of a nonce.
    package static let nonceByteCount = 8
    /// The version of CTAPHID of this project's devices.
    package static let protocolVersion: UInt8 = 2
    private static let byteCount = nonceByteCount + CTAPHIDChannel.byteCount + 5

    /// The nonce of the request, 8 bytes.
    package let nonce: [UInt8]
    /// The channel that is allocated, or was set back.
    package let channel: CTAPHIDChannel
    /// The device's version of CTAPHID.
    package let protocolVersion: UInt8
    /// The device's version.
    package let version: CTAPHIDDeviceVersion
    /// The device's capabilities.
    package let capabilities: CTAPHIDCapabilities

    init(
        nonce: [UInt8], channel: CTAPHIDChannel, version: CTAPHIDDeviceVersion, capabilities: CTAPHIDCapabilities
    ) {
        self.nonce = nonce
        self.channel = channel
        protocolVersion = Self.protocolVersion
        self.version = version
        self.capabilities = capabilities
    }

    /// Reads the payload of an answer: 17 bytes, and the additions of later versions (HT-HID-10).
    ///
    /// - Throws: `tooShort` for fewer than 17 bytes.
    package init(_ payload: [UInt8]) throws(CTAPHIDError) {
        let rest = payload.dropFirst(Self.nonceByteCount)
        guard payload.count >= Self.byteCount, let channel = CTAPHIDChannel(leading: rest) else {
            throw CTAPHIDError(.tooShort, reason: "\(payload.count) bytes: the answer has \(Self.byteCount) or more")
        }
        nonce = Array(payload.prefix(Self.nonceByteCount))
        self.channel = channel
        let numbers = Array(rest.dropFirst(CTAPHIDChannel.byteCount))
        protocolVersion = numbers[0]
        version = CTAPHIDDeviceVersion(major: numbers[1], minor: numbers[2], build: numbers[3])
        capabilities = CTAPHIDCapabilities(rawValue: numbers[4])
    }

    /// The 17 bytes of the payload.
    package var bytes: [UInt8] {
        nonce + channel.bytes
            + [protocolVersion, version.major, version.minor, version.build, capabilities.rawValue]
    }
}
