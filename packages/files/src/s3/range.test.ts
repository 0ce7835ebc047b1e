import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parseRange } from '../objectResponse.ts';
import { createS3Store } from './s3Store.ts';

const content = Buffer.from('0123456789');
const requests: (string | undefined)[] = [];

/** Responds to a GET with the requested range, as in RFC 9110. */
const server = http.createServer((req, res) => {
  requests.push(req.headers.range);
  const range = parseRange(req.headers.range, content.length);
  if (range === null || range === 'unsatisfiable') {
    res.writeHead(416).end();
    return;
  }
  const contentRange = `bytes ${range.start}-${range.end}/${content.length}`;
  res.writeHead(206, { 'content-range': contentRange }).end(content.subarray(range.start, range.end + 1));
});

beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

describe('reading a part from S3', () => {
  it('requests the bytes from start to end, both inclusive', async () => {
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const keys = { accessKey: 'access', secretKey: 'secret' };
    const store = createS3Store({
      endpoint,
      publicEndpoint: endpoint,
      region: 'us-east-1',
      bucket: 'files',
      ...keys,
    });
    expect((await buffer(await store.read('a/b', { start: 2, end: 4 }))).toString()).toBe('234');
    expect((await buffer(await store.read('a/b', { start: 0, end: 0 }))).toString()).toBe('0');
    expect(requests).toEqual(['bytes=2-4', 'bytes=0-0']);
  });
});
