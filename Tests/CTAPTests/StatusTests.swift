import CTAP
import Testing

/// The status codes (CTAP 2.2 section 8.2).
@Suite struct StatusTests {
    @Test(
        "A status is described by its name in the specification",
        arguments: [
            (0x00, "CTAP2_OK"), (0x01, "CTAP1_ERR_INVALID_COMMAND"), (0x14, "CTAP2_ERR_MISSING_PARAMETER"),
            (0x19, "CTAP2_ERR_CREDENTIAL_EXCLUDED"), (0x27, "CTAP2_ERR_OPERATION_DENIED"),
            (0x2e, "CTAP2_ERR_NO_CREDENTIALS"), (0x36, "CTAP2_ERR_PUAT_REQUIRED"), (0x7f, "CTAP1_ERR_OTHER"),
            (0x0f, "unknown status 0x0F"), (0xe1, "CTAP2_ERR_EXTENSION(0xE1)"), (0xff, "CTAP2_ERR_VENDOR(0xFF)"),
        ] as [(UInt8, String)])
    func descriptions(_ code: UInt8, _ name: String) {
        #expect(CTAPStatus(rawValue: code).description == name)
        #expect(CTAPStatus(rawValue: code).isSuccess == (code == 0))
    }
}
