import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { parseRange, sendObject } from './objectResponse.ts';
import { ObjectNotFoundError, type ObjectStore, StoreFailedError } from './store.ts';

const object = { key: 'a/b', filename: 'cat.png', contentType: 'image/png' };

describe('a download', () => {
  let server: http.Server;
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  /** Serves an object of a hundred bytes; a failure as 503, with the headers that are set by then. */
  async function serve(read: ObjectStore['read']): Promise<string> {
    const store = {
      stat: async () => ({ sizeBytes: 100, contentType: null }),
      read,
    } as unknown as ObjectStore;
    server = http.createServer((req, res) => {
      sendObject(req, res, store, object, (_res, status) => res.writeHead(status).end()).catch(() =>
        res.writeHead(503).end(),
      );
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
    ['bytes=5-4', 'unsatisfiable'],
    ['bytes=0-1,3-4', null],
    ['lines=0-1', null],
    ['nonsense', null],
    [undefined, null],
  ])('%j of ten bytes is %j', (header, expected) => {
    expect(parseRange(header, 10)).toEqual(expected);
  });
});
