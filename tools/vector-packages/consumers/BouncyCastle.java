import java.util.Arrays;
import java.util.Map;
import org.bouncycastle.crypto.digests.SHA256Digest;
import org.bouncycastle.crypto.engines.AESEngine;
import org.bouncycastle.crypto.generators.HKDFBytesGenerator;
import org.bouncycastle.crypto.macs.HMac;
import org.bouncycastle.crypto.modes.GCMBlockCipher;
import org.bouncycastle.crypto.params.AEADParameters;
import org.bouncycastle.crypto.params.HKDFParameters;
import org.bouncycastle.crypto.params.KeyParameter;
import org.bouncycastle.util.encoders.Hex;

/** Bouncy Castle, as far as it does what the hybrid transport needs, against its vectors. */
class BouncyCastle {
    static byte[] derive(byte[] secret, byte[] salt, long purpose, long length) {
        HKDFBytesGenerator generator = new HKDFBytesGenerator(new SHA256Digest());
        byte[] info = {(byte) purpose, (byte) (purpose >> 8), (byte) (purpose >> 16), (byte) (purpose >> 24)};
        generator.init(new HKDFParameters(secret, salt, info));
        byte[] output = new byte[(int) length];
        generator.generateBytes(output, 0, output.length);
        return output;
    }

    static byte[] gcm(boolean seals, byte[] key, long counter, byte[] data) throws Exception {
        if (counter >= 1 << 24) throw new Exception("counter-exhausted");
        byte[] nonce = {0, 0, 0, 0, 0, 0, 0, 0, 0, (byte) (counter >> 16), (byte) (counter >> 8), (byte) counter};
        GCMBlockCipher cipher = new GCMBlockCipher(new AESEngine());
        cipher.init(seals, new AEADParameters(new KeyParameter(key), 128, nonce));
        byte[] output = new byte[cipher.getOutputSize(data.length)];
        int count = cipher.processBytes(data, 0, data.length, output, 0);
        cipher.doFinal(output, count);
        return output;
    }

    static byte[] pad(byte[] message) {
        byte[] padded = Arrays.copyOf(message, (message.length + 32) / 32 * 32);
        padded[padded.length - 1] = (byte) (padded.length - message.length - 1);
        return padded;
    }

    static byte[] unpad(byte[] padded) throws Exception {
        int count = padded.length == 0 ? 0 : padded[padded.length - 1] & 0xFF;
        if (count >= padded.length) throw new Exception("bad-padding");
        return Arrays.copyOf(padded, padded.length - count - 1);
    }

    static byte[] sealAdvert(byte[] key, byte[] plaintext) throws Exception {
        if (plaintext.length != 16) throw new Exception("wrong-length");
        AESEngine engine = new AESEngine();
        engine.init(true, new KeyParameter(key, 0, 32));
        byte[] advert = new byte[20];
        engine.processBlock(plaintext, 0, advert, 0);
        HMac mac = new HMac(new SHA256Digest());
        mac.init(new KeyParameter(key, 32, 32));
        mac.update(advert, 0, 16);
        byte[] code = new byte[32];
        mac.doFinal(code, 0);
        System.arraycopy(code, 0, advert, 16, 4);
        return advert;
    }

    public static void main(String[] words) {
        int shift = words.length;    // With a word it is wrong by one.
        System.exit(HybridVectors.run(Map.of(
            "key.derive", input -> Map.of("output", derive((byte[]) input.get("secret"), (byte[]) input.get("salt"),
                (Long) input.get("purpose") + shift, (Long) input.get("length"))),
            "transport.pad", input -> Map.of("padded", pad((byte[]) input.get("message"))),
            "transport.unpad", input -> Map.of("message", unpad((byte[]) input.get("padded"))),
            "transport.seal", input -> Map.of("frame", gcm(true, (byte[]) input.get("key"), (Long) input.get("counter"),
                pad((byte[]) input.get("message")))),
            "transport.open", input -> Map.of("message", unpad(gcm(false, (byte[]) input.get("key"), (Long) input.get("counter"),
                (byte[]) input.get("frame")))),
            "advert.seal", input -> Map.of("advert", sealAdvert((byte[]) input.get("eid_key"), (byte[]) input.get("plaintext")))),
            Map.of()) == 0 ? 0 : 1);
    }
}
