import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type Generator, openGenerator } from './threads.ts';

const requests: IncomingHttpHeaders[] = [];
const server = createServer(({ headers }, response) => {
  requests.push(headers);
  response.statusCode = 202;
  response.end(JSON.stringify({ id: `exec_${headers.authorization}_${String(headers['idempotency-key'])}` }));
});
let load: Generator;

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  load = openGenerator(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
afterAll(async () => {
  await load.close();
  server.closeAllConnections();
  server.close();
});

it.each([
  ['a closed loop', { count: 20 }],
  ['an open loop', { ratePerS: 1000, seconds: 0.02 }],
])('each create of %s has an idempotency key of its own, and the API keys take turns', async (_, size) => {
  requests.length = 0;
  const created = await load.run({ keys: ['first', 'second'], clients: 4, ...size });
  expect(requests).toHaveLength(20);
  expect(new Set(requests.map((headers) => headers['idempotency-key'])).size).toBe(20);
  expect(requests.filter(({ authorization }) => authorization === 'Bearer first')).toHaveLength(10);
  expect(new Set(created.map(({ id }) => id)).size).toBe(20);
  for (const { id, keyIndex } of created)
    expect(id).toContain(['Bearer first', 'Bearer second'][keyIndex] ?? '?');
});
