"use strict";
// Hands each request of a page to the native-messaging host: one program for each, which ends with it.
const HOST = "io.github.hybrid_transport.browser";
const proxy = chrome.webAuthenticationProxy;
const ports = new Map();

function refusal(message) {
  return { error: { name: "NotAllowedError", message } };
}

function ask(type, complete, { requestId, requestDetailsJson }) {
  const end = (outcome) => {
    ports.delete(requestId);
    // A name that Chromium does not take for a DOM exception, such as TypeError, or a response that it does not read.
    complete({ requestId, ...outcome }).catch((error) => complete({ requestId, ...refusal(String(error)) }));
  };
  const options = JSON.parse(requestDetailsJson);
  // Only here does Chromium say whose page asks; it overwrites what the page itself has put there.
  const { remoteDesktopClientOverride: page, ...extensions } = options.extensions ?? {};
  if (!page) return end(refusal("the browser does not say whose page asks"));
  const port = chrome.runtime.connectNative(HOST);
  ports.set(requestId, port);
  port.onMessage.addListener(({ response, error }) =>
    end(response ? { responseJson: JSON.stringify(response) } : { error }));
  port.onDisconnect.addListener(() => {
    if (ports.has(requestId)) end(refusal(chrome.runtime.lastError?.message ?? "the other machine gave no answer"));
  });
  const { origin, sameOriginWithAncestors } = page;
  port.postMessage({ type, origin, sameOriginWithAncestors, options: { ...options, extensions } });
}

proxy.onCreateRequest.addListener((request) => ask("create", proxy.completeCreateRequest, request));
proxy.onGetRequest.addListener((request) => ask("get", proxy.completeGetRequest, request));
proxy.onIsUvpaaRequest.addListener(({ requestId }) => proxy.completeIsUvpaaRequest({ requestId, isUvpaa: false }));
proxy.onRequestCanceled.addListener((requestId) => {
  const port = ports.get(requestId);
  ports.delete(requestId);
  port?.disconnect();
});

async function attach() {
  const error = await proxy.attach();
  if (error) console.error(`hybrid: ${error}`);
}
chrome.runtime.onInstalled.addListener(attach);
chrome.runtime.onStartup.addListener(attach);
