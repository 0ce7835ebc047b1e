import { execFile } from 'node:child_process';
import http, { type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { png } from '@holdfast/files/testing/media';
import { afterAll, beforeAll, expect, it } from '@jest/globals';

const piece = Buffer.alloc(65_536);

/** Nothing is sent before this number of requests has arrived. */
let wanted = 0;
let sendAll = () => {};
let allAsked = Promise.resolve();
function expectRequests(count: number): void {
  wanted = count;
  allAsked = new Promise((resolve) => (sendAll = resolve));
}

async function send(response: ServerResponse, parts: Iterable<Buffer>): Promise<void> {
  wanted -= 1;
  if (wanted === 0) sendAll();
  await allAsked;
  for (const part of parts) {
    const isRoom = response.write(part);
    if (!isRoom) await new Promise((resolve) => response.once('drain', resolve));
  }
  response.end();
}

/** An image with a long tail. */
function* image(sizeBytes: number): Generator<Buffer> {
  yield png;
  for (let left = sizeBytes - png.length; left > 0; left -= piece.length) yield piece.subarray(0, left);
}

const mib = 1024 * 1024;
const inBase64 = Buffer.from(Buffer.concat([...image(16 * mib)]).toString('base64'));

/** A response in OpenAI's protocol. */
function* imageResponse(): Generator<Buffer> {
  yield Buffer.from('{"created":1,"data":[{"b64_json":"');
  for (let at = 0; at < inBase64.length; at += piece.length) yield inBase64.subarray(at, at + piece.length);
  yield Buffer.from('"}]}');
}

const server = http.createServer((request, response) => {
  const isPrompt = request.method === 'POST';
  if (!isPrompt) response.setHeader('content-length', 8 * mib);
  void send(response, isPrompt ? imageResponse() : image(8 * mib));
});
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => new Promise((resolve) => server.close(resolve)));

/** The figures that a script prints of its own process. */
async function measure(script: string, ...args: string[]): Promise<{ copied: number; grownMb: number }> {
  const { port } = server.address() as AddressInfo;
  const path = new URL(`testing/${script}.ts`, import.meta.url).pathname;
  const command = [path, `http://127.0.0.1:${port}`, ...args];
  const { stdout } = await promisify(execFile)(process.execPath, command, { timeout: 200_000 });
  return JSON.parse(stdout);
}

it('64 output files of 8 MiB are copied at once in 300 MB of memory', async () => {
  expectRequests(64);
  const { copied, grownMb } = await measure('manyCopies', '8', '8');
  expect(copied).toBe(8);
  expect(grownMb).toBeLessThan(300);
}, 240_000);

it('64 responses with outputs of 16 MiB in base64 are read at once in 500 MB of memory', async () => {
  expectRequests(64);
  const { copied, grownMb } = await measure('manyAnswers', '64');
  expect(copied).toBe(64);
  // Each is whole for a moment, as bytes, text and value, and V8 takes its time to collect them.
  expect(grownMb).toBeLessThan(500);
}, 240_000);
