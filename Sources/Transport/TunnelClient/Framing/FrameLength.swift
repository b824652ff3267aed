/// The length of WebSocket frames on the wire (RFC 6455 section 5.2).
package enum FrameLength {
    private static let shortHead = 2
    private static let maskingKey = 4
    private static let mediumLengthField = 2
    private static let longLengthField = 8

    /// The longest payload whose length stands in the head's second byte, and of a control frame (section 5.5).
    package static let longestShortPayload = 125

    /// The bytes of a frame's head in its shortest encoding.
    package static func head(payload: Int, isMasked: Bool) -> Int {
        let lengthField =
            switch payload {
            case ...longestShortPayload: 0
            case ...Int(UInt16.max): mediumLengthField
            default: longLengthField
            }
        return shortHead + lengthField + (isMasked ? maskingKey : 0)
    }

    /// The bytes of a masked frame in its shortest encoding.
    package static func masked(payload: Int) -> Int { head(payload: payload, isMasked: true) + payload }
}
