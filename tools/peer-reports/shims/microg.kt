// Shim of microG's GmsCore: utils, extensions, QrCodeData and both controllers of play-services-fido's hybrid transport.
// Android, OkHttp and CBOR are stood in for, so that what is in the QR code is not judged.
import android.content.Context
import java.lang.reflect.Proxy
import org.microg.gms.fido.core.hybrid.*
import org.microg.gms.fido.core.hybrid.controller.*
import org.microg.gms.fido.core.hybrid.model.QrCodeData
import org.microg.gms.fido.core.hybrid.tunnel.*
import org.microg.gms.fido.core.hybrid.utils.*
import shim.*

inline fun <reified T> stub(crossinline heard: (Any?) -> Unit) =
    Proxy.newProxyInstance(T::class.java.classLoader, arrayOf(T::class.java)) { _, _, given -> heard(given?.first()).let { true } } as T
fun session(noise: Any, crypter: Any, theirs: String, ours: String) = arrayOf(
    "handshake_hash" to field(noise, "handshakeHash").get(noise), theirs to field(crypter, "rKey").get(crypter), ours to field(crypter, "wKey").get(crypter))
fun crypter(key: ByteArray, counter: Long) = NoiseCrypter(key, key).also { made -> for (name in listOf("rCtr", "wCtr")) field(made, name).setInt(made, counter.toInt()) }
fun <T> T?.orRefuse() = this ?: throw IllegalArgumentException("null")

const val THERE = "client_to_authenticator_key"; const val BACK = "authenticator_to_client_key"
fun main() = giveKeyPairs().let { serve("microG", mapOf(
    "digits.encode" to { json("digits" to call(QrCodeData.Companion, "encodeGmsBase34", it.bytes("bytes"))) },
    "digits.decode" to { json("bytes" to call(QrCodeData.Companion, "resolveQrCodeData", it.text("digits")).orRefuse()) },
    "key.derive" to { input ->
        val info = ByteArray(4) { (input.number("purpose") shr 8 * it).toByte() }
        json("output" to CryptoHelper.endif(input.bytes("secret"), input.bytes("salt"), info, input.number("length").toInt()))
    },
    "tunnel.connect-url" to { json("url" to buildWebSocketConnectUrl(it.number("domain_id").toInt(), it.bytes("routing_id"), it.bytes("tunnel_id"))) },
    "tunnel.new-url" to { if (it.number("domain_id") != 0L) throw Unsupported("it has one domain") else json("url" to buildWebSocketNewUrl(it.bytes("tunnel_id"))) },
    "domain.name" to { input ->
        json("domain" to buildWebSocketConnectUrl(input.number("id").toInt(), ByteArray(3), ByteArray(16)).substringAfter("//").substringBefore('/'))
    },
    "advert.seal" to { json("advert" to CryptoHelper.generateEid(it.bytes("eid_key"), it.bytes("plaintext"))) },
    "transport.pad" to { json("padded" to call(crypter(ByteArray(32), 0), "pad32", it.bytes("message"))) },
    "transport.unpad" to { json("message" to call(crypter(ByteArray(32), 0), "unpad32", it.bytes("padded")).orRefuse()) },
    "transport.seal" to { json("frame" to crypter(it.bytes("key"), it.number("counter")).encrypt(it.bytes("message")).orRefuse()) },
    "transport.open" to { json("message" to crypter(it.bytes("key"), it.number("counter")).decrypt(it.bytes("frame")).orRefuse()) },
    "noise.respond" to { input ->
        if (input.text("pattern") != "KNpsk0") throw Unsupported("no links")
        next = input.bytes("ephemeral_private")
        val phone = HybridAuthenticatorController(Context())
        val noise = NoiseHandshakeState(3).apply { mixHash(byteArrayOf(1)); mixHash(input.bytes("static_public")); mixKeyAndHash(input.bytes("psk")) }
        field(phone, "noiseState").set(phone, noise)
        val sent = mutableListOf<ByteArray>()
        val socket = TunnelWebsocket("", stub<TunnelWebCallback> {})
        field(socket, "socketStatus").set(socket, SocketStatus.CONNECTED)
        field(socket, "socket").set(socket, stub<okhttp3.WebSocket> { sent += (it as okio.ByteString).toByteArray() })
        require(input.bytes("message_1").size >= 65)
        call(phone, "handleClientHello", socket, input.bytes("message_1"), public(input.bytes("static_public")))
        json("message_2" to sent.first(), *session(noise, field(phone, "crypter").get(phone), THERE, BACK))
    },
    "noise.finish" to { input ->
        if (input.text("pattern") != "KNpsk0") throw Unsupported("no links")
        next = input.bytes("ephemeral_private")
        val client = HybridClientController(Context(), pair(input.bytes("static_private")))
        call(client, "sendNoiseHello", null, input.bytes("psk"))
        require(input.bytes("message_2").size == 81)
        call(client, "handleServerHello", null, input.bytes("message_2"), ByteArray(1))
        json(*session(field(client, "noise").get(client), field(client, "crypter").get(client), BACK, THERE))
    },
)) }
