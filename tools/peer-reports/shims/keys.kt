// What shims in Kotlin share of P-256: key pairs of java.security that are given, in place of drawn ones.
package shim

import java.math.BigInteger
import java.security.*
import java.security.interfaces.*
import java.security.spec.*
import org.bouncycastle.jce.ECNamedCurveTable

val curve: ECParameterSpec = AlgorithmParameters.getInstance("EC").apply { init(ECGenParameterSpec("secp256r1")) }.getParameterSpec(ECParameterSpec::class.java)
fun public(point: ByteArray) = KeyFactory.getInstance("EC").generatePublic(
    ECPublicKeySpec(ECPoint(BigInteger(1, point.copyOfRange(1, 33)), BigInteger(1, point.copyOfRange(33, 65))), curve)) as ECPublicKey
fun pair(scalar: ByteArray) = BigInteger(1, scalar).let { number ->
    val point = ECNamedCurveTable.getParameterSpec("P-256").g.multiply(number).getEncoded(false)
    public(point) to KeyFactory.getInstance("EC").generatePrivate(ECPrivateKeySpec(number, curve)) as ECPrivateKey
}

/** The private key of every pair that is drawn from now on. */
var next = ByteArray(0)
class Pairs : KeyPairGeneratorSpi() {
    override fun initialize(size: Int, random: SecureRandom?) {}
    override fun initialize(parameters: AlgorithmParameterSpec?, random: SecureRandom?) {}
    override fun generateKeyPair() = pair(next).let { KeyPair(it.first, it.second) }
}

fun giveKeyPairs() = Security.insertProviderAt(object : Provider("Shim", "1", "") { init { put("KeyPairGenerator.EC", Pairs::class.java.name) } }, 1)
