// Shim of BryanJacobs/FIDOk: its CaBLECode and CaBLESupport, over its PureJVMCryptoProvider and its CBOR.
import kotlinx.serialization.json.*
import shim.*
import us.q3q.fidok.PureJVMCryptoProvider
import us.q3q.fidok.cable.*
import us.q3q.fidok.ctap.FIDOkLibrary
import us.q3q.fidok.ctap.commands.*

fun contents(code: CaBLECode) = json(
    "public_key" to code.publicKey, "secret" to code.secret, "known_domains" to code.knownTunnelServerDomains.toInt(),
    "timestamp" to code.currentEpochSeconds?.toLong(), "linking" to code.canPerformStateAssist, "hint" to code.operationHint.v,
    "channels" to listOf(0),
)

fun main() {
    val support = CaBLESupport(FIDOkLibrary.init(PureJVMCryptoProvider()))
    serve("FIDOk", mapOf(
        "digits.encode" to { json("digits" to call(support, "digitEncode", it.bytes("bytes"))) },
        "domain.name" to { json("domain" to support.decodeTunnelServerDomain(it.number("id").toInt())) },
        "invitation.decode" to { contents(CTAPCBORDecoder(it.bytes("cbor")).decodeSerializableValue(CaBLECode.serializer())) },
        "invitation.encode" to { input ->
            val hint = OperationHint.entries.find { it.v == input.text("hint") } ?: throw Unsupported("no such hint")
            if (input["channels"] != json("channels" to listOf(0))["channels"]) throw Unsupported("no channels")
            val code = CaBLECode(
                input.bytes("public_key"), input.bytes("secret"), input.number("known_domains").toUByte(),
                input["timestamp"]?.jsonPrimitive?.longOrNull?.toULong(), input["linking"]?.jsonPrimitive?.booleanOrNull, hint)
            val cbor = CTAPCBOREncoder().apply { encodeSerializableValue(CaBLECode.serializer(), code) }.getBytes()
            json("cbor" to cbor, "url" to support.buildCaBLEURL(code))
        },
    ))
}
