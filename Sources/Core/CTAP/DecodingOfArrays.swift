// The same from an array, for callers that have one: a span may not leave the scope of its owner.

extension CTAPRequest {
    /// Reads it from an array, with the standard limits.
    ///
    /// - Throws: ``CTAPError``.
    public init(decoding message: [UInt8]) throws(CTAPError) { try self.init(decoding: message.span) }
}

extension CTAPResponse {
    /// Reads it from an array, with the standard limits.
    ///
    /// - Throws: ``CTAPError``.
    public init(decoding message: [UInt8]) throws(CTAPError) { try self.init(decoding: message.span) }
}

extension MakeCredentialResponse {
    /// Reads it from an array, with the standard limits.
    ///
    /// - Throws: ``CTAPError``.
    public init(decoding payload: [UInt8]) throws(CTAPError) { try self.init(decoding: payload.span) }
}

extension GetAssertionResponse {
    /// Reads it from an array, with the standard limits.
    ///
    /// - Throws: ``CTAPError``.
    public init(decoding payload: [UInt8]) throws(CTAPError) { try self.init(decoding: payload.span) }
}

extension GetInfoResponse {
    /// Reads it from an array, with the standard limits.
    ///
    /// - Throws: ``CTAPError``.
    public init(decoding payload: [UInt8]) throws(CTAPError) { try self.init(decoding: payload.span) }
}

extension KeyAgreementResponse {
    /// Reads it from an array, with the standard limits.
    ///
    /// - Throws: ``CTAPError``.
    public init(decoding payload: [UInt8]) throws(CTAPError) { try self.init(decoding: payload.span) }
}

extension AuthenticatorData {
    /// Reads it from an array, with the standard limits.
    ///
    /// - Throws: ``CTAPError``.
    public init(decoding input: [UInt8]) throws(CTAPError) { try self.init(decoding: input.span) }
}

extension AttestationObject {
    /// Reads it from an array, with the standard limits.
    ///
    /// - Throws: ``CTAPError``.
    public init(decoding input: [UInt8]) throws(CTAPError) { try self.init(decoding: input.span) }
}
