import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { closing } from '@holdfast/testkit/closing';
import { testFolder } from '@holdfast/testkit/testFolder';
import { expect, it } from '@jest/globals';
import { startFleet } from '../../stack/fleet.ts';
import { startUpstream } from './upstream.ts';

const clients = 8;
const mib = 2 ** 20;
const maxJsonBytes = 20 * mib;
const maxImages = 100;
/** The bodies alone have 160 MiB. */
const maxGrowthMib = 400;

const upstream = closing(await startUpstream());
const settings = { COMPATIBLE_APIS: 'openai', OPENAI_BASE_URL: upstream.url, OPENAI_API_KEY: 'sk-upstream' };
const fleet = closing(await startFleet(testFolder('large'), settings));

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);
const imageOf = (bytes: number) => Buffer.concat([png, randomBytes(bytes - png.length)]);

/** A chat whose JSON has about `bytes` in this many images. */
function chatWith(images: number, bytes: number) {
  const url = `data:image/png;base64,${imageOf(Math.floor(((bytes / images - 200) * 3) / 4)).toString('base64')}`;
  const content = Array.from({ length: images }, () => ({ type: 'image_url', image_url: { url } }));
  const text = { type: 'text', text: `images ${randomBytes(8).toString('hex')}` };
  const body = { model: 'gpt-4o-mini', messages: [{ role: 'user', content: [text, ...content] }] };
  return { path: 'chat/completions', type: 'application/json', body: Buffer.from(JSON.stringify(body)) };
}

function editOf(bytes: number) {
  const field = (name: string, value: string) =>
    `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const file = '--b\r\nContent-Disposition: form-data; name="image"; filename="a.png"\r\n\r\n';
  const head = `${field('model', 'gpt-image-1-edit')}${field('prompt', randomBytes(8).toString('hex'))}${file}`;
  const body = Buffer.concat([Buffer.from(head), imageOf(bytes), Buffer.from('\r\n--b--\r\n')]);
  return { path: 'images/edits', type: 'multipart/form-data; boundary=b', body };
}

type Sent = ReturnType<typeof editOf>;

/** Refused for its memory, a client repeats the request when it is told to. */
async function post(apiKey: string, { path, type, body }: Sent): Promise<{ status: number; text: string }> {
  for (;;) {
    const response = await fetch(`${fleet.baseUrl}/v1/openai/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': type },
      body: new Uint8Array(body),
    });
    const text = await response.text();
    if (response.status !== 429) return { status: response.status, text };
    await delay(Number(response.headers.get('retry-after-ms')));
  }
}

/** Resident memory of the gateway: now, and its highest. */
function memoryMib(name: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${fleet.pid('api-gateway')}/status`, 'utf8');
  return Math.round(Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]) / 1024);
}

it.each([
  ['chats with 100 images as data URIs', () => chatWith(maxImages, maxJsonBytes - mib)],
  ['forms of 20 MB', () => editOf(20 * mib)],
])(
  'takes %s from eight clients at once, in bounded memory',
  async (what, make) => {
    const { apiKey } = await fleet.newCustomer();
    const idle = memoryMib('VmRSS');
    // The highest is that from here on.
    writeFileSync(`/proc/${fleet.pid('api-gateway')}/clear_refs`, '5');
    const bodies = Array.from({ length: clients }, make);
    const responses = await Promise.all(bodies.map((body) => post(apiKey, body)));
    const peak = memoryMib('VmHWM');
    console.info(`${what}: the gateway had ${idle} MiB before, ${peak} MiB at most`);
    expect(responses.filter(({ status }) => status !== 200)).toEqual([]);
    expect(peak - idle).toBeLessThan(maxGrowthMib);
  },
  120_000,
);

it.each([
  ['more images', () => chatWith(maxImages + 1, mib), 400],
  ['more JSON', () => chatWith(maxImages, maxJsonBytes + mib), 413],
  ['a larger form', () => editOf(51 * mib), 413],
])(
  'refuses %s than there may be, as OpenAI does',
  async (_what, make, status) => {
    const { apiKey } = await fleet.newCustomer();
    const response = await post(apiKey, make());
    expect([response.status, JSON.parse(response.text).error.type]).toEqual([
      status,
      'invalid_request_error',
    ]);
  },
  60_000,
);
