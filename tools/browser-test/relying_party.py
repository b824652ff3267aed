"""A website on localhost, and python-fido2 to judge what its page brings back."""
import http.server
import json
import threading

from fido2.server import Fido2Server
from fido2.webauthn import PublicKeyCredentialRpEntity, PublicKeyCredentialUserEntity

PAGE = b"""<!doctype html><meta charset=utf-8><title>browser test</title><h1>browser test</h1><script>
let outcome = null, stop = null;
function settle(promise) {
  outcome = null;
  promise.then(answer => { outcome = { answer: answer.toJSON ? answer.toJSON() : answer }; },
               error => { outcome = { error: error.name, message: error.message }; });
}
function run(kind, options) {
  stop = new AbortController();
  const parse = { create: 'parseCreationOptionsFromJSON', get: 'parseRequestOptionsFromJSON' }[kind];
  settle(navigator.credentials[kind]({ publicKey: PublicKeyCredential[parse](options), signal: stop.signal }));
}
function runInFrame(origin, kind, options) {
  outcome = null;
  const frame = Object.assign(document.createElement('iframe'), { src: origin, allow: 'publickey-credentials-get *' });
  frame.onload = () => frame.contentWindow.postMessage({ kind, options }, '*');
  document.body.append(frame);
}
onmessage = async ({ data }) => {
  if (parent === window) { outcome = data; return; }
  run(data.kind, data.options);
  while (outcome === null) await new Promise(done => setTimeout(done, 50));
  parent.postMessage(outcome, '*');
};
function ask(kind, digital) {
  stop = new AbortController();
  settle(navigator.credentials[kind]({ digital, mediation: 'required', signal: stop.signal })
    .then(({ protocol, data }) => ({ protocol, data })));
}
</script>"""


class RelyingParty:
    """Makes requests, serves the page, and verifies the answers."""

    def __init__(self, hints=("hybrid",)):
        self.credentials = []
        self._hints = list(hints)
        page_server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Page)
        threading.Thread(target=page_server.serve_forever, daemon=True).start()
        self.origin = f"http://localhost:{page_server.server_address[1]}"
        self._server = Fido2Server(PublicKeyCredentialRpEntity(id="localhost", name="browser test"),
                                   verify_origin=lambda origin: origin == self.origin)

    def creation(self, user, exclude=(), algorithms=(-7,), verification="required", discoverable="required",
                 attestation="none", extensions=None, challenge=None):
        """The options of a registration, as the page takes them, and the state for `created`."""
        options, state = self._server.register_begin(
            PublicKeyCredentialUserEntity(id=user.encode(), name=user, display_name=user), list(exclude),
            resident_key_requirement=discoverable, user_verification=verification,
            authenticator_attachment="cross-platform", extensions=extensions, challenge=challenge)
        options = dict(options)["publicKey"]
        options["pubKeyCredParams"] = [{"type": "public-key", "alg": algorithm} for algorithm in algorithms]
        options["attestation"] = attestation
        options["hints"] = self._hints
        return json.loads(json.dumps(options)), state

    def created(self, state, answer):
        """Verifies a registration and keeps its public key; returns python-fido2's credential."""
        credential = self._server.register_complete(state, answer).credential_data
        self.credentials.append(credential)
        return credential

    def request(self, allow=(), verification="required", extensions=None):
        """The options of a sign-in, as the page takes them, and the state for `signed_in`."""
        options, state = self._server.authenticate_begin(list(allow), user_verification=verification,
                                                         extensions=extensions)
        options = dict(options)["publicKey"]
        options["hints"] = self._hints
        return json.loads(json.dumps(options)), state

    def signed_in(self, state, answer):
        """Verifies a sign-in; returns the credential that was used."""
        return self._server.authenticate_complete(state, self.credentials, answer)


class _Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self):  # noqa: N802, the library's name
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(PAGE)

    def log_message(self, *_):
        pass
