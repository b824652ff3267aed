// Shim of DaryaScam/ElectronHybridDemo: `node daryascam.mjs FOLDER`, that of its src/electron/hybrid as JavaScript.
import crypto from "crypto";
import { syncBuiltinESMExports } from "module";
import readline from "readline";
import { pathToFileURL } from "url";

const created = crypto.createECDH;
let next = null; // the private key that the next generated key pair gets
crypto.createECDH = (curve) => {
  const key = created(curve), generate = key.generateKeys.bind(key);
  key.generateKeys = () => (next ? key.setPrivateKey(next) : generate());
  return key;
};
syncBuiltinESMExports();
console.log = () => {};
const load = (name) => import(pathToFileURL(`${process.argv[2]}/${name}.js`).href);
const [{ CaBLEv2 }, { EcdhKeyPair }, { hybridHKDFDerive, tryDecryptPayload }, { calculateHybridTunnelDomain }, { digitEncodeQRBytes }] =
  await Promise.all(["cablev2", "hybrid", "crypto", "tunnel", "utils"].map(load));
const bytes = (hex) => Buffer.from(hex, "hex"), hex = (data) => Buffer.from(data).toString("hex");
const unsupported = (reason) => { throw { unsupported: reason }; };

const operations = {
  "digits.encode": (i) => ({ digits: digitEncodeQRBytes(bytes(i.bytes)).slice("FIDO:/".length) }),
  "domain.name": (i) => ({ domain: calculateHybridTunnelDomain(i.id) }),
  "key.derive": (i) => i.salt ? unsupported("no salt") : { output: hex(hybridHKDFDerive(bytes(i.secret), i.purpose, i.length)) },
  "transport.seal": (i) => {
    const session = Object.assign(new CaBLEv2(), { platformToClientKey: bytes(i.key), platformToClientSEQ: i.counter });
    return { frame: hex(session.encryptForClient(bytes(i.message))) };
  },
  "transport.open": (i) => {
    const session = Object.assign(new CaBLEv2(), { clientToPlatformKey: bytes(i.key), clientToPlatformSEQ: i.counter });
    return { message: hex(session.decryptFromClient(bytes(i.frame))) };
  },
  "noise.finish": async (i) => {
    if (i.pattern !== "KNpsk0") unsupported("no NKpsk0");
    const session = new CaBLEv2(), identity = new EcdhKeyPair(bytes(i.static_private));
    next = bytes(i.ephemeral_private);
    const { ephermeralKey } = await session.initialConnectMessage(bytes(i.psk), identity);
    next = null;
    const { handshakeHash } = await session.processHandshakeResponse(bytes(i.message_2), ephermeralKey);
    return { handshake_hash: hex(handshakeHash), client_to_authenticator_key: hex(session.clientToPlatformKey),
      authenticator_to_client_key: hex(session.platformToClientKey) };
  },
};
const say = (line) => process.stdout.write(JSON.stringify(line) + "\n");
say({ type: "hello", shim: 1, name: "DaryaScam", roles: [], features: [], operations: Object.keys(operations) });
for await (const text of readline.createInterface({ input: process.stdin })) {
  const line = JSON.parse(text);
  if (line.type !== "run") continue;
  try {
    say({ type: "result", output: await operations[line.operation](line.input) });
  } catch (error) {
    say(error.unsupported ? { type: "unsupported", reason: error.unsupported } : { type: "error", reason: String(error) });
  }
}
