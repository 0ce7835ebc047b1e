import { execFile } from 'node:child_process';
import http, { type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { png } from '@holdfast/files/testing/media';
import { afterAll, beforeAll, expect, it } from '@jest/globals';

const fileBytes = 8 * 1024 * 1024;
const [runs, files] = [8, 8];
/** All of them are 512 MB long. */
const mostMb = 300;
const piece = Buffer.alloc(65_536);

let asked = 0;
let sendAll = () => {};
const allAsked = new Promise<void>((resolve) => (sendAll = resolve));

/** A picture with a long tail, sent as fast as it is taken once all others are asked for. */
async function send(response: ServerResponse): Promise<void> {
  asked += 1;
  if (asked === runs * files) sendAll();
  await allAsked;
  response.writeHead(200, { 'content-length': fileBytes });
  response.write(png);
  for (let left = fileBytes - png.length; left > 0; left -= piece.length) {
    const isRoom = response.write(piece.subarray(0, Math.min(left, piece.length)));
    if (!isRoom) await new Promise((resolve) => response.once('drain', resolve));
  }
  response.end();
}

const server = http.createServer((_request, response) => void send(response));
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => new Promise((resolve) => server.close(resolve)));

it('outputs are streamed: 64 files at once are copied in far less memory than they are long', async () => {
  const { port } = server.address() as AddressInfo;
  const script = new URL('testing/manyCopies.ts', import.meta.url).pathname;
  const args = [script, `http://127.0.0.1:${port}`, String(runs), String(files)];
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 100_000 });
  const { copied, grownMb } = JSON.parse(stdout) as { copied: number; grownMb: number };
  expect(copied).toBe(runs);
  expect(grownMb).toBeLessThan(mostMb);
}, 120_000);
