import http from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { until } from '@holdfast/testkit/until';
import { afterEach, describe, expect, it } from '@jest/globals';
import { type OnError, parseRange, sendObject } from './objectResponse.ts';
import { ObjectNotFoundError, type ObjectStore, StoreFailedError } from './store.ts';

const object = { key: 'a/b', filename: 'cat.png', contentType: 'image/png' };

describe('a download', () => {
  let server: http.Server;
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  /** Serves an object; a failure as 503, with the headers that are set by then. */
  async function serve(read: ObjectStore['read'], sizeBytes = 100, stallMs = 50): Promise<string> {
    const store = {
      stat: async () => ({ sizeBytes, contentType: null }),
      read,
    } as unknown as ObjectStore;
    server = http.createServer((req, res) => {
      const onError: OnError = (_res, status) => res.writeHead(status).end();
      sendObject(req, res, store, object, onError, stallMs).catch(() => res.writeHead(503).end());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  it.each([
    [503, 'its store fails', new StoreFailedError(new Error('SlowDown'))],
    [404, 'its object is removed', new ObjectNotFoundError(object.key)],
  ])('responds with %s, not as the file, when %s after the size was read', async (status, _why, error) => {
    const url = await serve(() => Promise.reject(error));
    const response = await fetch(url, { headers: { range: 'bytes=0-9' } });
    expect(response.status).toBe(status);
    const names = ['content-type', 'content-disposition', 'content-range', 'accept-ranges'];
    expect(names.filter((name) => response.headers.has(name))).toEqual([]);
  });

  it('is cut off, and its object closed, when the client takes nothing', async () => {
    const body = new Readable({ read: () => body.push(Buffer.alloc(65_536)) });
    const url = new URL(await serve(async () => body, 1_000_000_000));
    const client = connect(Number(url.port), url.hostname).on('error', () => {});
    client.write('GET / HTTP/1.1\r\nHost: files\r\n\r\n');
    await expect(finished(body)).rejects.toThrow('Premature close');
    client.destroy();
  });

  it('lasts as long as a slow client takes something, and reads its object at that pace', async () => {
    const stallMs = 500;
    await until('a download without a pause of this process', async () => {
      let readBytes = 0;
      const body = new Readable({
        read() {
          readBytes += 65_536;
          setImmediate(() => body.push(Buffer.alloc(65_536)));
        },
      });
      const url = new URL(await serve(async () => body, 1_000_000_000, stallMs));
      const client = connect(Number(url.port), url.hostname).on('error', () => {});
      client.write('GET / HTTP/1.1\r\nHost: files\r\n\r\n');
      const startMs = performance.now();
      let [atMs, pauseMs] = [startMs, 0];
      while (!body.destroyed && atMs < startMs + 3 * stallMs) {
        await delay(5);
        client.read();
        pauseMs = Math.max(pauseMs, performance.now() - atMs);
        atMs = performance.now();
      }
      const wasCutOff = body.destroyed;
      client.destroy();
      server.close();
      if (pauseMs > stallMs / 4) return false;
      expect([wasCutOff, readBytes < 50_000_000]).toEqual([false, true]);
      return true;
    });
  });
});

describe('parseRange', () => {
  it.each([
    ['bytes=0-4', { start: 0, end: 4 }],
    ['bytes=5-', { start: 5, end: 9 }],
    ['bytes=-3', { start: 7, end: 9 }],
    ['bytes=5-500', { start: 5, end: 9 }],
    ['bytes=-10', { start: 0, end: 9 }],
    ['bytes=-11', { start: 0, end: 9 }],
    ['bytes=-99999999999999999999', { start: 0, end: 9 }],
    ['bytes=-0', 'unsatisfiable'],
    ['bytes=10-', 'unsatisfiable'],
    ['bytes=5-4', null],
    ['bytes=0-1,3-4', null],
    ['lines=0-1', null],
    ['nonsense', null],
    [undefined, null],
  ])('%j of ten bytes is %j', (header, expected) => {
    expect(parseRange(header, 10)).toEqual(expected);
  });
});
