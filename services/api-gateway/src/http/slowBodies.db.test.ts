import { readdir } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { limits } from '@holdfast/domain/limits';
import { until } from '@holdfast/testkit/until';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { organizationWithKey, startTestGateway, type TestGateway } from '../testing/testGateway.ts';
import { type Listening, listen } from './listen.ts';

let gateway: TestGateway;
let listening: Listening;
let key: string;
const sockets: Socket[] = [];

async function start(settings: Record<string, string>): Promise<void> {
  gateway = await startTestGateway(settings);
  listening = await listen(gateway.app, { host: '127.0.0.1', port: 0 }, 3000);
  ({ key } = await organizationWithKey(gateway, { balance: '10' }));
}

async function stop(): Promise<void> {
  await listening.close();
  await gateway.close();
}

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

/** A connection, and all that has come on it. */
function open() {
  const socket = connect(listening.port, '127.0.0.1');
  sockets.push(socket);
  const connection = { socket, received: '', isClosed: false };
  socket.on('error', () => {});
  socket.on('data', (bytes) => {
    connection.received += String(bytes);
  });
  socket.on('close', () => {
    connection.isClosed = true;
  });
  return connection;
}

const headOf = (method: string, path: string, headers: Record<string, string | number>) =>
  [
    `${method} ${path} HTTP/1.1`,
    'Host: gateway',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    '\r\n',
  ].join('\r\n');

const json = (as: string, headers: Record<string, string | number>) => ({
  Authorization: `Bearer ${as}`,
  'Content-Type': 'application/json',
  ...headers,
});

/** A create of which only the head is sent. */
function beginCreate(headers: Record<string, string | number>, as = key) {
  const connection = open();
  connection.socket.write(headOf('POST', '/v1/executions', json(as, headers)));
  return connection;
}

const statusOf = (received: string) => Number(/^HTTP\/1\.1 (\d+)/.exec(received)?.[1] ?? 0);

async function untilResponse(connection: { received: string }): Promise<string> {
  return await until(
    'there is a response',
    () => connection.received.includes('"request_id"') && connection.received,
  );
}

function expectRefusal(received: string, status: number, code: string): void {
  expect(received).toContain(`"code":"${code}"`);
  expect(statusOf(received)).toBe(status);
}

const body = JSON.stringify({ model: 'writer', input: { prompt: 'a' } });
const wholeBody = limits.jsonBodyBytes;

describe('a body that is too long', () => {
  beforeAll(() => start({}));
  afterAll(stop);

  it.each([{}, { Expect: '100-continue' }])('is refused before it is sent, with %j', async (expectation) => {
    const connection = beginCreate({ 'Content-Length': wholeBody + 1, ...expectation });
    expectRefusal(await untilResponse(connection), 413, 'PAYLOAD_TOO_LARGE');
  });

  it('is refused once it exceeds the limit when it declares no length', async () => {
    const connection = beginCreate({ 'Transfer-Encoding': 'chunked' });
    connection.socket.write(`${(wholeBody + 1).toString(16)}\r\n${'x'.repeat(wholeBody + 1)}`);
    expectRefusal(await untilResponse(connection), 413, 'PAYLOAD_TOO_LARGE');
  });

  it('is not requested: the connection closes after an Expect is refused', async () => {
    const connection = beginCreate({ 'Content-Length': wholeBody + 1, Expect: '100-continue' });
    await until('it is closed', () => connection.isClosed);
    expect(connection.received).not.toContain('100 Continue');
  });

  it('is requested with 100 Continue when it is accepted', async () => {
    const connection = beginCreate({ 'Content-Length': body.length, Expect: '100-continue' });
    await until('the body is requested', () => connection.received.startsWith('HTTP/1.1 100 Continue'));
    connection.socket.write(body);
    await until('it is accepted', () => connection.received.includes('HTTP/1.1 202'));
    expect(connection.isClosed).toBe(false);
  });
});

describe('a slow body', () => {
  beforeAll(() => start({ BODY_TIMEOUT_S: '1', BODY_MIN_BYTES_PER_S: '1' }));
  afterAll(stop);

  async function beginUpload(sizeBytes: number) {
    const response = await fetch(`http://127.0.0.1:${listening.port}/v1/files/upload`, {
      method: 'POST',
      headers: json(key, {}) as Record<string, string>,
      body: JSON.stringify({ filename: 'a.txt', content_type: 'text/plain', size_bytes: sizeBytes }),
    });
    const { upload_url: url } = (await response.json()) as { upload_url: string };
    const { pathname, search } = new URL(url);
    const connection = open();
    const headers = { 'Content-Type': 'text/plain', 'Content-Length': sizeBytes };
    connection.socket.write(headOf('PUT', pathname + search, headers));
    return { connection, path: pathname + search, headers };
  }

  it('is refused with 408 and its connection is closed', async () => {
    const connection = beginCreate({ 'Content-Length': body.length });
    const dripping = setInterval(() => connection.socket.write(' '), 100);
    const received = await untilResponse(connection);
    expectRefusal(received, 408, 'REQUEST_TIMEOUT');
    expect(received).toContain('"retryable":true');
    await until('it is closed', () => connection.isClosed);
    clearInterval(dripping);
  });

  it('of an upload may take longer than others, at the minimum rate', async () => {
    const { connection } = await beginUpload(100_000);
    let left = 100_000;
    const send = (bytes: number) => {
      connection.socket.write('a'.repeat(bytes));
      left -= bytes;
    };
    send(50_000);
    const dripping = setInterval(send, 50, 1);
    // Begun later, and given up for its time.
    const other = beginCreate({ 'Content-Length': body.length });
    const dripped = setInterval(() => other.socket.write(' '), 50);
    expectRefusal(await untilResponse(other), 408, 'REQUEST_TIMEOUT');
    clearInterval(dripping);
    clearInterval(dripped);
    send(left);
    await until('it is taken', () => statusOf(connection.received) === 200);
  });

  it('of an upload is refused when nothing arrives, and the file can be uploaded again', async () => {
    const { connection, path, headers } = await beginUpload(4);
    connection.socket.write('abc');
    expectRefusal(await untilResponse(connection), 408, 'REQUEST_TIMEOUT');
    await until('it is closed', () => connection.isClosed);
    expect(await readdir(join(gateway.servers.folder, '.incoming'))).toEqual([]);
    const again = open();
    again.socket.write(`${headOf('PUT', path, headers)}abcd`);
    await until('it is taken', () => statusOf(again.received) === 200);
  });
});

describe('bodies in flight', () => {
  beforeAll(() => start({ BODY_MEMORY_MIB: '16' }));
  afterAll(stop);

  const held = () => gateway.context.bodies.heldBytes();
  const beginMany = (count: number, as: string) =>
    Array.from({ length: count }, () => beginCreate({ 'Content-Length': wholeBody }, as));

  it('have a memory limit above which bodies are refused unread while other requests are served', async () => {
    const { key: second } = await organizationWithKey(gateway, { balance: '10' });
    const { key: third } = await organizationWithKey(gateway, { balance: '10' });
    const ours = beginMany(8, key);
    await until('half of it is held', () => held() === 8 * wholeBody);

    const oneMore = beginCreate({ 'Content-Length': body.length });
    const beyondHalf = await untilResponse(oneMore);
    expectRefusal(beyondHalf, 429, 'RATE_LIMITED');
    expect(beyondHalf).toMatch(/retry-after: 2/i);
    await until('its connection is closed', () => oneMore.isClosed);

    beginMany(8, second);
    await until('all of it is held', () => held() === 16 * wholeBody);
    const chunked = beginCreate({ 'Transfer-Encoding': 'chunked' }, third);
    chunked.socket.write('1\r\n{\r\n');
    for (const refused of [beginCreate({ 'Content-Length': body.length }, third), chunked]) {
      const received = await untilResponse(refused);
      expectRefusal(received, 503, 'SERVICE_UNAVAILABLE');
      expect(received).toMatch(/retry-after: 2/i);
    }
    expect(held()).toBe(16 * wholeBody);
    const balance = await fetch(`http://127.0.0.1:${listening.port}/v1/balance`, {
      headers: { authorization: `Bearer ${third}` },
    });
    expect(balance.status).toBe(200);

    for (const { socket } of ours) socket.destroy();
    await until('it is given back', () => held() === 8 * wholeBody);
    const accepted = beginCreate({ 'Content-Length': body.length }, third);
    accepted.socket.write(body);
    await until('it is accepted', () => statusOf(accepted.received) === 202);
    await until('its own is given back, too', () => held() === 8 * wholeBody);
  });

  it('of requests without a key are limited by address, apart from those of callbacks', async () => {
    await until('nothing is held', () => held() === 0);
    const signIn = () => {
      const connection = open();
      const headers = { 'Content-Type': 'application/json', 'Content-Length': wholeBody };
      connection.socket.write(headOf('POST', '/v1/portal-session', headers));
      return connection;
    };
    for (const count of [1, 2]) {
      signIn();
      await until('its body is held', () => held() === count * wholeBody);
    }
    expectRefusal(await untilResponse(signIn()), 429, 'RATE_LIMITED');
  });
});

describe('large responses', () => {
  beforeAll(() => start({ RESPONSE_MEMORY_MIB: '64' }));
  afterAll(stop);

  const page = 7_000_000;
  const held = () => gateway.context.responses.heldBytes();

  function beginList(as: string, { isRead = false } = {}) {
    const connection = open();
    if (!isRead) connection.socket.pause();
    connection.socket.write(headOf('GET', '/v1/executions', json(as, {})));
    return connection;
  }

  /** Later ones return the execution of the first, once it has ended whole. */
  function create(as: string) {
    const headers = { 'Content-Length': body.length, 'Idempotency-Key': 'one', Prefer: 'wait=1' };
    const connection = beginCreate(headers, as);
    connection.socket.write(body);
    const lengthOf = () => Number(/\r\ncontent-length: (\d+)/i.exec(connection.received)?.[1] ?? 0);
    return { connection, lengthOf };
  }

  it('that their clients do not read have a memory limit above which further ones are refused', async () => {
    const { key: second } = await organizationWithKey(gateway, { balance: '10' });
    for (const as of [key, second]) {
      const { connection } = create(as);
      await until('it is created', () => statusOf(connection.received) === 202);
    }
    await gateway.context.db.pool.query(
      `UPDATE executions SET status = 'COMPLETED', completed_at = now(), cost = 0.01,
         output = json_build_object('text', repeat('x', $1))`,
      [page],
    );
    for (let count = 1; count <= 4; count++) {
      beginList(key);
      await until('it is held', () => held() > count * page);
    }
    expectRefusal(await untilResponse(beginList(key, { isRead: true })), 429, 'RATE_LIMITED');
    const again = create(key);
    await until('a replayed create gets a response', () => again.lengthOf() > 0);
    expect([statusOf(again.connection.received), again.lengthOf() < 10_000]).toEqual([202, true]);
    const other = beginList(second, { isRead: true });
    await until('another organization has its page', () => other.received.length > page);
    await until('that is given back', () => held() < 5 * page);
    for (const socket of sockets) socket.destroy();
    await until('all is given back', () => held() === 0);
    const whole = create(key);
    await until('now the response is whole', () => whole.lengthOf() > page);
  });

  it('to clients that disconnect first are not held', async () => {
    for (let n = 0; n < 20; n++) {
      const { socket } = beginList(key);
      setTimeout(() => socket.destroy(), n);
    }
    const last = beginList(key, { isRead: true });
    await until('the last one is read', () => last.received.length > page);
    await until('nothing is held', () => held() === 0);
  });
});
