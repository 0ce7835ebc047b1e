import { closing } from '@holdfast/testkit/closing';
import type { Customer } from '@holdfast/testkit/testData';
import { until } from '@holdfast/testkit/until';
import { startReceiver } from '@holdfast/testkit/webhookReceiver';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { stackOfTests } from '../../stack/stackOfTests.ts';
import { installNode, type Remote, runNode, runPython } from './programs.ts';
import { settingsFor, startUpstream, upstreamModels } from './upstream.ts';

const upstream = closing(await startUpstream());
const stack = await stackOfTests(settingsFor(upstream), upstreamModels);
let customer: Customer;
let remote: Remote;

beforeAll(async () => {
  await installNode();
  customer = await stack.newCustomer();
  remote = { baseUrl: `${stack.baseUrl}/v1/openai`, apiKey: customer.apiKey };
}, 600_000);

type Line = Record<string, unknown>;

function expectNoProblem(lines: Line[] | null, atLeast: number): void {
  if (lines === null) return;
  const isRun = ({ skipped }: Line) => skipped === undefined;
  for (const line of lines) if (!isRun(line)) console.warn(`A call is not run: ${JSON.stringify(line)}`);
  const run = lines.filter(isRun);
  expect(run.filter(({ problem }) => problem !== null)).toEqual([]);
  expect(run.length).toBeGreaterThanOrEqual(atLeast);
}

describe("by base URL and key alone, OpenAI's client", () => {
  it('for Node works, at its newest version', async () => {
    expectNoProblem(await runNode('calls.mjs', remote, { OPENAI_PACKAGE: 'openai' }), 70);
  }, 120_000);

  it("for Node works, at version 6 on the machine's Node", async () => {
    expectNoProblem(await runNode('calls.mjs', remote, { OPENAI_PACKAGE: 'openai6' }, 'node'), 70);
  }, 120_000);

  it.each([
    ['for Python works', {}],
    ['for Python works when it is asynchronous', { OPENAI_ASYNC: 'yes' }],
  ])(
    '%s',
    async (_how, settings) => {
      expectNoProblem(await runPython('calls.py', remote, 'openai', settings), 60);
    },
    900_000,
  );
});

describe('by base URL and key alone, batches of files are run and read', () => {
  it("by OpenAI's client for Node", async () => {
    expectNoProblem(await runNode('batches.mjs', remote, { OPENAI_PACKAGE: 'openai' }), 9);
  }, 120_000);

  it("by OpenAI's client for Python", async () => {
    expectNoProblem(await runPython('batches.py', remote), 5);
  }, 900_000);
});

describe("webhooks in OpenAI's dialect", () => {
  it('are verified and read by its clients', async () => {
    const receiver = closing(await startReceiver());
    const settings = { url: receiver.url, dialect: 'openai' };
    const { body: endpoint } = await customer.api.post('/v1/webhooks/endpoints', settings);
    const made = async (path: string, body: object) =>
      (await customer.api.post(`/v1/openai/${path}`, body)).body.id;
    const expected = [
      ['response.completed', made('responses', { model: 'gpt-4o-mini', input: 'hello', background: true })],
      ['video.completed', made('videos', { model: 'film', prompt: 'a harbour' })],
      ['video.failed', made('videos', { model: 'film', prompt: 'fail' })],
    ] as const;
    const events: { object: string; type: string; data: { id: string } }[] = [];
    for (const [type, id] of expected) events.push({ object: 'event', type, data: { id: String(await id) } });
    const all = () => events.map(({ data }) => receiver.received.find(({ body }) => body.includes(data.id)));
    await until('the webhooks have arrived', () => !all().includes(undefined), 30_000);
    const more = { WEBHOOKS: JSON.stringify(all()), SECRET: String(endpoint.secret) };
    expect(await runNode('unwrap.mjs', remote, more)).toMatchObject(events);
    const lines = await runPython('unwrap.py', remote, 'openai', more);
    if (lines !== null) expect(lines).toMatchObject(events);
  }, 900_000);
});

describe('by base URL and key alone,', () => {
  it('the AI SDK and LangChain for Node work', async () => {
    expectNoProblem(await runNode('frameworks.mjs', remote), 19);
  }, 120_000);

  it('LangChain, LiteLLM and Instructor for Python work', async () => {
    expectNoProblem(await runPython('frameworks.py', remote), 16);
  }, 900_000);

  it('LlamaIndex works', async () => {
    expectNoProblem(await runPython('llamaindex.py', remote, 'llamaindex'), 5);
  }, 900_000);
});
