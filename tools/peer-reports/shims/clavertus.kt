// Shim of Clavertus-Authenticator/Clavertus: its QR code, advert, handshakes and frames. Android's log, Base64 and
// preferences are stood in for; Bouncy Castle and cbor-java are theirs.
import android.content.SharedPreferences
import ch.bfh.clavertus.authenticator.models.hybrid.*
import ch.bfh.clavertus.authenticator.noise.*
import ch.bfh.clavertus.authenticator.utils.SessionHandler
import ch.bfh.clavertus.authenticator.utils.crypto.Cryptography
import java.lang.reflect.Proxy
import java.math.BigInteger
import java.security.*
import javax.crypto.spec.SecretKeySpec
import org.bouncycastle.jce.ECNamedCurveTable
import shim.*
val store = HashMap<String, String?>()
val preferences: SharedPreferences = proxy { _, name, arguments -> if (name == "edit") editor else store[arguments[0]] }
val editor: SharedPreferences.Editor = proxy { on, name, arguments -> on.also { if (name == "putString") store[arguments[0] as String] = arguments[1] as String? } }
inline fun <reified T> proxy(crossinline answer: (Any, String, Array<Any?>) -> Any?) = Proxy.newProxyInstance(
    T::class.java.classLoader, arrayOf(T::class.java)) { on, method, arguments -> answer(on, method.name, arguments ?: arrayOf()) } as T

/** The source of chance, which gives the private key that comes next, once. */
var next: ByteArray? = null
class Chance : SecureRandomSpi() {
    override fun engineNextBytes(out: ByteArray) { (next.takeIf { out.size == 32 } ?: ByteArray(out.size) { 7 }).copyInto(out); next = null }
    override fun engineSetSeed(seed: ByteArray) {}
    override fun engineGenerateSeed(count: Int) = ByteArray(count)
}

fun public(private: ByteArray) = ECNamedCurveTable.getParameterSpec("P-256").g.multiply(BigInteger(1, private)).getEncoded(false)
fun contents(data: QRData) = json(
    "public_key" to data.publicKey, "secret" to data.qrSecret, "known_domains" to data.tunnelServerDomains,
    "timestamp" to data.currentTime, "linking" to data.canPerformTransactions, "hint" to data.operationHint, "channels" to listOf(0))

fun main() {
    Security.insertProviderAt(object : Provider("Shim", "1", "") { init { put("SecureRandom.Shim", Chance::class.java.name) } }, 1)
    val session = SessionHandler(preferences)
    serve("Clavertus", mapOf(
        "digits.decode" to { json("bytes" to call(QRData.Companion, "digitDecode", it.text("digits"))) },
        "invitation.decode" to { contents(call(QRData.Companion, "cborDecode", it.bytes("cbor")) as QRData) },
        "key.derive" to {
            val purpose = KeyPurpose.fromType(it.number("purpose").toInt()) ?: throw Unsupported("no such purpose")
            json("output" to Cryptography.deriveKey(it.bytes("secret"), it.bytes("salt"), purpose, it.number("length").toInt()))
        },
        "advert.seal" to { json("advert" to Cryptography.encryptAndAddHMAC(it.bytes("plaintext"), it.bytes("eid_key"))) },
        "transport.pad" to { json("padded" to call(NoiseCryptoUtilities, "padding", it.bytes("message"))) },
        "transport.seal" to { json("frame" to NoiseCryptoUtilities.encryptMessage(it.bytes("message"), SecretKeySpec(it.bytes("key"), "AES"), it.number("counter").toInt())) },
        "noise.respond" to { input ->
            val linked = input.text("pattern") == "NKpsk0"
            session.setPSK(input.bytes("psk"))
            if (linked) session.setAuthenticatorPrivateKey(input.bytes("static_private"))
            if (linked) session.setAuthenticatorPublicKey(public(input.bytes("static_private")))
            else session.setQRPublicKey(input.bytes("static_public"))
            next = input.bytes("ephemeral_private")
            val handshake = Handshake(session)
            val answer = NoiseCryptoUtilities.calculateHandshake(input.bytes("message_1"), handshake, !linked)
            if (!answer.copyOf(65).contentEquals(public(input.bytes("ephemeral_private")))) throw Unsupported("draws no such key")
            json("message_2" to answer, "handshake_hash" to handshake.getHash(),
                "client_to_authenticator_key" to session.getTrafficReadKey(), "authenticator_to_client_key" to session.getTrafficWriteKey())
        },
    ))
}
