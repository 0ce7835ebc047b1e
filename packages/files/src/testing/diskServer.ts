import { mkdtemp, rm } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream';
import type { DiskSettings } from '../config.ts';
import { createStorageHandlers } from '../disk/httpHandlers.ts';
import type { OnError } from '../objectResponse.ts';

const onError: OnError = (res, status, code) => {
  res.writeHead(status, { 'content-type': 'application/json' });
  finished(res.req.resume(), { writable: false }, () => res.end(JSON.stringify({ code })));
};

/** The handlers behind a plain server, over a temporary folder. */
export async function startDiskServer(): Promise<{ settings: DiskSettings; close: () => Promise<void> }> {
  const server = http.createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const path = await mkdtemp(join(tmpdir(), 'holdfast-files-'));
  const settings = { path, urlSecrets: ['a secret of sixteen'], publicUrl: `http://127.0.0.1:${port}` };
  const { handleStoragePut, handleStorageGet } = createStorageHandlers(
    settings,
    onError,
    async (key) => key !== 'n/checked',
  );
  server.on('request', (req, res) => {
    const handle = { PUT: handleStoragePut, GET: handleStorageGet, HEAD: handleStorageGet }[req.method ?? ''];
    if (handle) handle(req, res).catch(() => res.destroy());
    else res.writeHead(405).end();
  });
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await rm(path, { recursive: true, force: true });
  };
  return { settings, close };
}
