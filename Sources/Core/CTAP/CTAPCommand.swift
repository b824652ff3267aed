/// The first byte of every CTAP request; those that hybrid authenticators know (CTAP 2.2 section 6; HT-CTAP-5).
public enum CTAPCommand: UInt8, Sendable, CaseIterable {
    /// authenticatorMakeCredential (section 6.1).
    case makeCredential = 0x01
    /// authenticatorGetAssertion (section 6.2).
    case getAssertion = 0x02
    /// authenticatorGetInfo (section 6.4).
    case getInfo = 0x04
    /// authenticatorClientPIN (section 6.5), of which an authenticator without PIN answers the public key alone.
    case clientPIN = 0x06
    /// authenticatorGetNextAssertion (section 6.3).
    case getNextAssertion = 0x08
    /// authenticatorSelection (section 6.9).
    case selection = 0x0b
}
