// A receiver of fal's webhooks, which verifies them step by step as fal's documentation says.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import sodium from 'libsodium-wrappers';

const leewayS = 300;

async function isAuthentic(headers, body, jwksUrl) {
  await sodium.ready;
  const [requestId, userId, timestamp, signature] = ['request-id', 'user-id', 'timestamp', 'signature'].map(
    (name) => headers[`x-fal-webhook-${name}`],
  );
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > leewayS) return false;
  const digest = createHash('sha256').update(body).digest('hex');
  const message = Buffer.from([requestId, userId, timestamp, digest].join('\n'), 'utf-8');
  const { keys } = await (await fetch(jwksUrl)).json();
  return keys.some(({ x }) =>
    sodium.crypto_sign_verify_detached(Buffer.from(signature, 'hex'), message, Buffer.from(x, 'base64url')),
  );
}

/** Gives `use` a URL and a function that waits for the next webhook there. */
export async function withReceiver(jwksUrl, use) {
  const calls = [];
  async function receive(request) {
    const body = await buffer(request);
    const isTrue = await isAuthentic(request.headers, body, jwksUrl);
    const isForged = await isAuthentic(request.headers, Buffer.concat([body, Buffer.from(' ')]), jwksUrl);
    calls.push({ ...JSON.parse(body.toString()), isVerified: isTrue && !isForged });
    server.emit('call');
  }
  const server = createServer((request, response) => {
    receive(request)
      .then(() => response.writeHead(200).end())
      .catch(() => response.destroy());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  try {
    await use(`http://127.0.0.1:${server.address().port}/`, async () => {
      if (calls.length === 0) await once(server, 'call');
      return calls.shift();
    });
  } finally {
    server.close();
  }
}
