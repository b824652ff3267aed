// Shim of microG's GmsCore: utils, extensions and QrCodeData of play-services-fido's hybrid transport. Android and CBOR are
// stood in for, so that what is in the QR code is not judged.
import org.microg.gms.fido.core.hybrid.*
import org.microg.gms.fido.core.hybrid.model.QrCodeData
import org.microg.gms.fido.core.hybrid.utils.*
import java.security.interfaces.ECPublicKey
import shim.*

fun crypter(key: ByteArray, counter: Long) = NoiseCrypter(key, key).also { crypter ->
    for (name in listOf("rCtr", "wCtr")) {
        NoiseCrypter::class.java.getDeclaredField(name).apply { isAccessible = true }.setInt(crypter, counter.toInt())
    }
}
fun <T> T?.orRefuse() = this ?: throw IllegalArgumentException("null")

fun main() = serve("microG", mapOf(
    "digits.encode" to { json("digits" to call(QrCodeData.Companion, "encodeGmsBase34", it.bytes("bytes"))) },
    "digits.decode" to { json("bytes" to call(QrCodeData.Companion, "resolveQrCodeData", it.text("digits")).orRefuse()) },
    "key.derive" to { input ->
        val purpose = input.number("purpose").toInt()
        val info = byteArrayOf(purpose.toByte(), (purpose shr 8).toByte(), (purpose shr 16).toByte(), (purpose shr 24).toByte())
        json("output" to CryptoHelper.endif(input.bytes("secret"), input.bytes("salt"), info, input.number("length").toInt()))
    },
    "tunnel.connect-url" to {
        json("url" to buildWebSocketConnectUrl(it.number("domain_id").toInt(), it.bytes("routing_id"), it.bytes("tunnel_id")))
    },
    "tunnel.new-url" to {
        if (it.number("domain_id") != 0L) throw Unsupported("it has one domain")
        json("url" to buildWebSocketNewUrl(it.bytes("tunnel_id")))
    },
    "domain.name" to { input ->
        json("domain" to buildWebSocketConnectUrl(input.number("id").toInt(), ByteArray(3), ByteArray(16)).substringAfter("//").substringBefore('/'))
    },
    "advert.seal" to { json("advert" to CryptoHelper.generateEid(it.bytes("eid_key"), it.bytes("plaintext"))) },
    "transport.pad" to { json("padded" to call(crypter(ByteArray(32), 0), "pad32", it.bytes("message"))) },
    "transport.unpad" to { json("message" to call(crypter(ByteArray(32), 0), "unpad32", it.bytes("padded")).orRefuse()) },
    "transport.seal" to { json("frame" to crypter(it.bytes("key"), it.number("counter")).encrypt(it.bytes("message")).orRefuse()) },
    "transport.open" to { json("message" to crypter(it.bytes("key"), it.number("counter")).decrypt(it.bytes("frame")).orRefuse()) },
))
