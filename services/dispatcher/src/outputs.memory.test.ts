import { execFile } from 'node:child_process';
import http, { type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { png } from '@holdfast/files/testing/media';
import { afterAll, beforeAll, expect, it } from '@jest/globals';

const piece = Buffer.alloc(65_536);

/** Nothing is sent before so many are asked for. */
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

/** A picture with a long tail. */
function* picture(sizeBytes: number): Generator<Buffer> {
  yield png;
  for (let left = sizeBytes - png.length; left > 0; left -= piece.length) yield piece.subarray(0, left);
}

const mib = 1024 * 1024;
const inBase64 = Buffer.from(Buffer.concat([...picture(16 * mib)]).toString('base64'));

/** The answer of a server that speaks OpenAI's protocol. */
function* answer(): Generator<Buffer> {
  yield Buffer.from('{"created":1,"data":[{"b64_json":"');
  for (let at = 0; at < inBase64.length; at += piece.length) yield inBase64.subarray(at, at + piece.length);
  yield Buffer.from('"}]}');
}

const server = http.createServer((request, response) => {
  const isPrompt = request.method === 'POST';
  if (!isPrompt) response.setHeader('content-length', 8 * mib);
  void send(response, isPrompt ? answer() : picture(8 * mib));
});
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => new Promise((resolve) => server.close(resolve)));

/** What a script beside this file says of a process of its own. */
async function measure(script: string, ...args: string[]): Promise<{ copied: number; grownMb: number }> {
  const { port } = server.address() as AddressInfo;
  const path = new URL(`testing/${script}.ts`, import.meta.url).pathname;
  const asked = [path, `http://127.0.0.1:${port}`, ...args];
  const { stdout } = await promisify(execFile)(process.execPath, asked, { timeout: 200_000 });
  return JSON.parse(stdout);
}

it('outputs are streamed: 64 files of 8 MiB at once are copied in far less memory than they are long', async () => {
  expectRequests(64);
  const { copied, grownMb } = await measure('manyCopies', '8', '8');
  expect(copied).toBe(8);
  expect(grownMb).toBeLessThan(300);
}, 240_000);

it('outputs inside of answers are read as there is memory for them: 64 of 16 MiB, 1.4 GB of base64', async () => {
  expectRequests(64);
  const { copied, grownMb } = await measure('manyAnswers', '64');
  expect(copied).toBe(64);
  // Each is whole for a moment, as bytes, text and value, and V8 takes its time to collect them.
  expect(grownMb).toBeLessThan(500);
}, 240_000);
