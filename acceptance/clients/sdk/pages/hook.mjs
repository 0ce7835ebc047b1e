// Runs useExecution in happy-dom against a live Holdfast, and prints what it showed. Its arguments: a JSON of the scenario.

import { HoldfastProvider, useExecution } from '@holdfast/react';
import { Holdfast } from '@holdfast/sdk';
import { Window } from 'happy-dom';
import { createElement, StrictMode } from 'react';
import { renderToString } from 'react-dom/server';

const { HOLDFAST_URL: baseUrl } = process.env;
const client = new Holdfast();
const shown = [];
let expired = 0;

function Page({ id, token, stream }) {
  const state = useExecution(id, token, { stream, onTokenExpired: () => void (expired += 1) });
  shown.push({ id, ...state });
  return createElement('p', null, `${id ?? 'none'} is ${state.status ?? 'unknown'}`);
}

const page = (props) =>
  createElement(StrictMode, null, createElement(HoldfastProvider, { baseUrl }, createElement(Page, props)));

const create = async (input, model = 'sandbox-text') => {
  const { id } = await client.executions.create({ model, input });
  return { id, token: (await client.executions.createToken(id)).token };
};

async function until(what, look) {
  for (let tries = 0; tries < 3000; tries += 1) {
    const found = look();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`timed out waiting for ${what}; shown last: ${JSON.stringify(shown.at(-1))}`);
}
const last = () => shown.at(-1);

const report = { server: renderToString(page({ id: 'exec_1', token: 'ext_1' })) };

const window = new Window({ url: 'https://shop.example.com/' });
Object.assign(globalThis, { window, document: window.document });
Object.defineProperty(globalThis, 'navigator', { value: window.navigator, configurable: true });
const { createRoot } = await import('react-dom/client');
const requests = [];
const realFetch = globalThis.fetch;
let failures = 0;
globalThis.fetch = (url, init) => {
  if (
    new Request(url).url.includes('/v1/executions/exec_') &&
    init.headers.get('authorization')?.startsWith('Bearer ext_')
  ) {
    requests.push(init.signal);
    if (failures > 0) {
      failures -= 1;
      return Promise.reject(new TypeError('Failed to fetch'));
    }
  }
  return realFetch(url, init);
};

const element = window.document.createElement('div');
const root = createRoot(element);

// An image, from its beginning to its end.
const image = await create({ prompt: 'Hello', width: 16, height: 16, delay_ms: 1500 }, 'sandbox-image');
root.render(page({}));
root.render(page(image));
await until('the end of the image', () => last()?.isEnded);
const { status, files, events, output, error } = last();
report.image = {
  text: element.innerHTML.includes('COMPLETED'),
  status,
  error,
  fields: Object.keys(output),
  bytes: (await files[0].blob()).size > 0,
  types: [...new Set(events.map(({ type }) => type))],
  statuses: [...new Set(shown.map((one) => one.status))],
};

// Another id: nothing of the first is shown, not once.
const failing = await create({ prompt: 'Hello', fail: 'GENERATION_FAILED' });
const before = shown.length;
root.render(page(failing));
await until('the failure', () => last()?.isEnded && last().id === failing.id);
report.failed = {
  name: last().error.name,
  code: last().error.code,
  page: last().error.docUrl !== null,
  mixed: shown.slice(before).some((one) => one.execution && one.execution.id !== one.id),
};

// A token that has expired, then a new one.
const third = await create({ prompt: 'Hello' });
root.render(page({ id: third.id, token: `${third.token.slice(0, -8)}00000000` }));
await until('the refusal', () => expired > 0);
await until('the refused state', () => last()?.error);
report.refused = { code: last().error.code, expired: expired > 0 };
root.render(page(third));
await until('the end with the new token', () => last()?.isEnded && last().id === third.id);
report.renewed = { status: last().status, error: last().error };

// A network that is unavailable for longer than the client itself tries.
const fourth = await create({ prompt: 'Hello' });
failures = 7;
root.render(page(fourth));
await until('the end after failures', () => last()?.isEnded && last().id === fourth.id);
report.reconnected = {
  status: last().status,
  error: last().error,
  showed: shown.some(({ id, error: one }) => id === fourth.id && one?.retryable),
};

// A stream, with the token of its URL, over a connection that fails.
const words = { prompt: 'Hello', tokens: 60, tokens_per_s: 40 };
const streamed = await client.executions.create({ model: 'sandbox-text', input: words, stream: true });
const streamToken = new URL(streamed.urls.stream).searchParams.get('token');
failures = 1;
root.render(page({ id: streamed.id, token: streamToken, stream: true }));
await until('the end of the stream', () => last()?.isEnded && last().id === streamed.id && last().output);
const texts = shown.filter(({ id }) => id === streamed.id).map(({ text }) => text);
report.streamed = {
  status: last().status,
  error: last().error,
  whole: last().text === last().output.text,
  grows: new Set(texts).size > 5 && texts.every((text) => last().text.startsWith(text)),
  ran: shown.some(({ id, status: one }) => id === streamed.id && one === 'PROCESSING'),
};

// Partial images, with the same kind of token.
const painting = { model: 'sandbox-image', input: { prompt: 'Hello', width: 16, height: 16 }, stream: true };
const painted = await client.executions.create(painting);
const paintedToken = new URL(painted.urls.stream).searchParams.get('token');
root.render(page({ id: painted.id, token: paintedToken, stream: true }));
await until('the end of the images', () => last()?.isEnded && last().id === painted.id && last().output);
const partial = shown.flatMap(({ id, partialImage }) => (id === painted.id ? (partialImage ?? []) : []));
report.partial = {
  images: new Set(partial.map(({ file_id: id }) => id)).size,
  bytes: (await last().partialImage.blob()).size > 0,
};

// Unmounted while it runs.
const fifth = await create({ prompt: 'Hello', delay_ms: 60_000 });
root.render(page(fifth));
await until('the status', () => last()?.id === fifth.id && last().status);
root.unmount();
const count = shown.length;
await client.executions.cancel(fifth.id);
await until('the end of all requests', () => requests.every(({ aborted }) => aborted));
report.unmounted = { later: shown.length - count };

await window.happyDOM.close();
process.stdout.write(JSON.stringify(report));
process.exit(0);
