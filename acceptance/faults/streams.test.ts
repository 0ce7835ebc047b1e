import { randomInt } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { readEvents } from '@holdfast/api-gateway/testing/readEvents';
import { auditLedger } from '@holdfast/db/audit/audit';
import { MoneyDecimal } from '@holdfast/domain/money';
import { text } from '@holdfast/sandbox/models/text';
import type { Customer } from '@holdfast/testkit/testData';
import { testFolder } from '@holdfast/testkit/testFolder';
import { until } from '@holdfast/testkit/until';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { parse, stringify } from 'yaml';
import { type ExecutionBody, readExecution, untilStatus } from '../stack/executions.ts';
import { type Fleet, startFleet } from '../stack/fleet.ts';
import {
  attemptTexts,
  type Done,
  type ReadOutput,
  readOverCuts,
  requestStream,
} from '../stack/outputReader.ts';

const histories = 200;
const width = 50;
const dispatcherKills = 3;
const pricePerToken = '0.001';

let fleet: Fleet;
let customer: Customer;

beforeAll(async () => {
  fleet = await startFleet(testFolder('streams'), { MODELS_DIR: modelsFolder() });
}, 120_000);
afterAll(() => fleet.close(), 30_000);
beforeEach(async () => {
  customer = await fleet.newCustomer();
});

/** Models that write words. */
function modelsFolder(): string {
  const folder = testFolder('models');
  const file = resolve(import.meta.dirname, '../../models/sandbox-text.yaml');
  const { provider, ...model } = parse(readFileSync(file, 'utf8')) as { provider: object };
  const price = { per_output_token: pricePerToken };
  // A run that is started again and again takes longer than the 60 s of `sync`.
  const slow = { ...model, provider: { ...provider, mode: 'callback' }, price, timeout_s: 600 };
  const models = {
    writes: {},
    'writes-again': { stream_restart: true, on_cancel: 'release' },
    'holds-little': { estimate: { output_tokens: 10 } },
  };
  for (const [slug, fields] of Object.entries(models))
    writeFileSync(join(folder, `${slug}.yaml`), stringify({ ...slow, ...fields, slug }));
  return folder;
}

type Input = { prompt: string; tokens: number; tokens_per_s: number };
type History = { model: string; input: Input; record: ExecutionBody; read: ReadOutput };

function randomInput(): Input {
  const words = ['wave', 'Ähre', '波', '🌊🌊', '"quoted"', 'a\\b', '\u0001', 'e\u0301'];
  const prompt = Array.from({ length: randomInt(1, 30) }, () => words[randomInt(words.length)]).join(' ');
  return { prompt, tokens: randomInt(1, 400), tokens_per_s: randomInt(15, 100) };
}

/** What the sandbox writes. */
async function answerTo(input: Input): Promise<string> {
  const pieces: unknown[] = [];
  const context = { signal: new AbortController().signal, isStreamed: false, log() {}, publish: () => '' };
  const { tokens_per_s: _speed, ...rest } = input;
  await text.run(text.input.parse(rest), { ...context, emit: (piece) => void pieces.push(piece) });
  return pieces.join('');
}

const whileAway = <Value>(what: string, look: () => Promise<Value>) =>
  until(what, () => look().catch(() => null), 60_000);

async function createStream(model: string, input: Input, key: string): Promise<ExecutionBody> {
  return await whileAway('a create gets a response', async () => {
    const { status, body } = await customer.api.post(
      '/v1/executions',
      { model, input, stream: true },
      { 'idempotency-key': key },
    );
    return status === 202 && (body as ExecutionBody);
  });
}

/** Creates, reads by two readers who see the same, and sometimes cancels in the middle. */
async function live(index: number, pace: Partial<Input> = {}): Promise<History> {
  const model = index % 2 === 0 ? 'writes' : 'writes-again';
  const input = { ...randomInput(), ...pace };
  const { id, urls } = await createStream(model, input, `${customer.organizationId}-${index}`);
  const plain = { url: `${fleet.baseUrl}/v1/executions/${id}/stream`, apiKey: customer.apiKey };
  const reading = Promise.all([readOverCuts({ url: urls?.['stream'] ?? '' }), readOverCuts(plain)]);
  if (index % 8 < 2) void cancelWithin(id, (1000 * input.tokens) / input.tokens_per_s);
  const [read, other] = await reading;
  expect([other.events, other.done]).toEqual([read.events, read.done]);
  expect((await whileAway('there is an answer', () => requestStream(plain, read.doneId))).status).toBe(204);
  return { model, input, read, record: await whileAway('it is read', () => readExecution(customer.api, id)) };
}

async function cancelWithin(id: string, ms: number): Promise<void> {
  await delay(Math.random() * ms);
  await whileAway('a cancel gets a response', () => customer.api.post(`/v1/executions/${id}/cancel`));
}

/** As many at once as `width`. @throws as the first that fails */
async function liveAll(): Promise<History[]> {
  const lived: History[] = [];
  let next = 0;
  async function goOn(): Promise<void> {
    while (next < histories) lived.push(await live(next++));
  }
  await Promise.all(Array.from({ length: width }, goOn));
  return lived;
}

/** The readers got what was made: the output of each attempt from its start, the last of them as its record has it. */
async function expectRead({ input, record, read }: History): Promise<void> {
  const texts = attemptTexts(read.events);
  const answer = await answerTo(input);
  for (const shown of texts) expect(answer.startsWith(shown)).toBe(true);
  const kept = record.status === 'COMPLETED' ? record.result?.['text'] : record.partial_output;
  expect(texts.at(-1) ?? null).toBe(kept ?? null);
  if (record.status === 'COMPLETED') expect(kept).toBe(answer);
  expect(read.done).toMatchObject({ status: record.status, cost: record.cost });
}

const textOf = ({ events }: ReadOutput) => attemptTexts(events).at(-1) ?? '';
const tokensIn = (shown: string) => Math.ceil(Buffer.byteLength(shown) / 5);
const priceOf = (tokens: number) => new MoneyDecimal(pricePerToken).times(tokens).toNumber();

/** A success costs its tokens, a cancel what was shown if its model says so, at most the hold; everything else is free. */
function expectPrice({ model, input, record, read }: History): void {
  const shown = Math.max(0, ...attemptTexts(read.events).map(tokensIn));
  const isCharged = record.status === 'CANCELLED' && model !== 'writes-again' && shown > 0;
  const tokens = record.status === 'COMPLETED' ? input.tokens : isCharged ? shown : null;
  expect([record.status, record.cost && Number(record.cost)]).toEqual([
    record.status,
    tokens && Math.min(priceOf(tokens), Number(record.hold_amount)),
  ]);
}

async function expectPaid(records: ExecutionBody[], balance = 100): Promise<void> {
  const spent = records.reduce((sum, { cost }) => sum.plus(cost ?? 0), new MoneyDecimal(0));
  const { available, held } = (await customer.api.get('/v1/balance')).body;
  expect([Number(available), Number(held)]).toEqual([new MoneyDecimal(balance).minus(spent).toNumber(), 0]);
  expect(await auditLedger(fleet.db)).toEqual([]);
}

it('a reader gets exactly the output, whichever connection is cut and whichever process is killed', async () => {
  const over = new AbortController();
  const living = liveAll().finally(() => over.abort());
  living.catch(() => {});
  for (let round = 0; !over.signal.aborted; round++) {
    await delay(randomInt(500, 3000));
    await fleet.kill('api-gateway');
    await delay(randomInt(500, 3000));
    // A run is not tried forever.
    if (round < dispatcherKills) await fleet.kill('dispatcher');
    await delay(randomInt(500, 3000));
    await fleet.crash('redis');
  }
  const lived = await living;
  for (const history of lived) {
    await expectRead(history);
    expectPrice(history);
  }
  const count = (status: string, model: string) =>
    lived.filter((one) => one.record.status === status && one.model === model).length;
  expect(count('COMPLETED', 'writes')).toBeGreaterThan(histories / 8);
  expect(count('FAILED', 'writes')).toBeGreaterThan(0);
  const failed = lived.filter(({ record, model }) => record.status === 'FAILED' && model === 'writes-again');
  expect(failed.map(({ record }) => record.error)).toEqual([]);
  expect(lived.some(({ read }) => attemptTexts(read.events).length > 1)).toBe(true);
  await expectPaid(lived.map(({ record }) => record));
}, 300_000);

const dispatchers = ['dispatcher', 'dispatcher-2'];

async function shownBy(name: string): Promise<number> {
  return Number(/^holdfast_streams_open\{.*\} (\d+)/m.exec(await fleet.metricsOf(name))?.[1]);
}

/** One that had several streams, once all that are open are shown. */
async function busyDispatcher(): Promise<string | undefined> {
  const shown = await Promise.all(dispatchers.map(shownBy));
  if ((await fleet.db.prisma.stream.count({ where: { closedAt: null, shownBy: null } })) > 0)
    return undefined;
  return dispatchers.find((_, index) => Number(shown[index]) >= 10);
}

it('a reader sees nothing of a dispatcher that wakes up after another has taken its streams over', async () => {
  await fleet.addCopy('dispatcher');
  await until('no stream is left', async () =>
    (await Promise.all(dispatchers.map(shownBy))).every((n) => n === 0),
  );
  const living = Promise.all(
    Array.from({ length: 40 }, (_, index) => live(4 * index + 1, { tokens: 300, tokens_per_s: 20 })),
  );
  living.catch(() => {});
  const stopped = await until('all that are open are shown', busyDispatcher, 60_000);
  fleet.signal(stopped, 'SIGSTOP');
  const lived = await living.finally(() => fleet.signal(stopped, 'SIGCONT'));
  for (const history of lived) await expectRead(history);
  expect(lived.some(({ read }) => attemptTexts(read.events).length > 1)).toBe(true);
  await until('it is awake', () => fleet.isReady(stopped));
  await expectPaid(lived.map(({ record }) => record));
}, 120_000);

describe('what was shown is not free', () => {
  /** Reads one stream to its end. `onWords` is called after each event with the number of words so far. */
  async function readAll(
    model: string,
    fields: object,
    onWords: (id: string, words: number) => void = () => {},
  ): Promise<Pick<History, 'record' | 'read'>> {
    const input = { prompt: 'one two', tokens: 100, tokens_per_s: 50 };
    const body = { model, input, stream: true, ...fields };
    const { id, urls } = (await customer.api.post('/v1/executions', body)).body as ExecutionBody;
    const read: ReadOutput = { events: [], done: null as unknown as Done, doneId: 0, cuts: 0 };
    onWords(id, 0);
    for await (const event of readEvents(await fetch(urls?.['stream'] ?? ''))) {
      if (event.event === 'done') read.done = event.data as Done;
      else read.events.push(event);
      onWords(id, textOf(read).split(/(?<= )/).length);
    }
    return { read, record: await readExecution(customer.api, id) };
  }

  it.each([
    ['writes', 'costs what its readers saw, at most the hold, whenever it comes'],
    ['writes-again', 'is free with `release`, whenever it comes'],
  ])('a cancel of %s %s', async (model) => {
    const ended = await Promise.all(
      Array.from({ length: 51 }, async (_, step) => {
        let isAsked = false;
        const input = { prompt: 'one two', tokens: 100, tokens_per_s: 25 };
        return await readAll(model, { input }, (id, words) => {
          if (isAsked || words < 2 * step) return;
          isAsked = true;
          void customer.api.post(`/v1/executions/${id}/cancel`);
        });
      }),
    );
    for (const { record, read } of ended) {
      const shown = tokensIn(textOf(read));
      const isCharged = model === 'writes' && shown > 0;
      const price = record.status === 'COMPLETED' ? 0.1 : isCharged ? Math.min(priceOf(shown), 0.12) : null;
      expect([record.cost && Number(record.cost), read.done.cost]).toEqual([price, record.cost]);
    }
    expect(ended.filter(({ record }) => record.status === 'CANCELLED').length).toBeGreaterThan(40);
    await expectPaid(ended.map(({ record }) => record));
  });

  it.each([
    ['cap', '0.03', 0.03],
    ['charge', '100', 0.12],
  ])(
    'a run whose hold is too small is stopped where the policy `%s` ends',
    async (overage, balance, most) => {
      customer = await fleet.newCustomer(balance);
      await fleet.admin.patch(`/admin/v1/organizations/${customer.organizationId}`, { overage });
      const { record, read } = await readAll('holds-little', {
        input: { prompt: 'one two', tokens: 300, tokens_per_s: 10 },
      });
      expect(record).toMatchObject({ status: 'COMPLETED', finish_reason: 'budget', hold_amount: '0.012' });
      expect([Number(record.cost), record.result?.['text']]).toEqual([
        priceOf(tokensIn(textOf(read))),
        textOf(read),
      ]);
      expect(Number(record.cost)).toBeLessThanOrEqual(most);
      // What a busy dispatcher gathers at once is shown whole or not at all, so its provider is slow.
      expect(Number(record.cost)).toBeGreaterThan(most - 0.005);
      await expectPaid([record], Number(balance));
    },
  );

  it('a deadline costs what a cancel would', async () => {
    const slow = { input: { prompt: 'slow', tokens: 100, tokens_per_s: 5 }, timeout_seconds: 10 };
    const [charged, free] = await Promise.all([readAll('writes', slow), readAll('writes-again', slow)]);
    expect(charged.record).toMatchObject({ status: 'COMPLETED', finish_reason: 'deadline' });
    expect(Number(charged.record.cost)).toBe(priceOf(tokensIn(textOf(charged.read))));
    expect(free.record).toMatchObject({ status: 'EXPIRED', cost: null, partial_output: textOf(free.read) });
    await expectPaid([charged.record]);
  });

  it('a reader that disconnects cancels if it says so', async () => {
    const input = { prompt: 'long', tokens: 1000, tokens_per_s: 50 };
    const created = await createStream('writes', input, customer.organizationId);
    const leaving = new AbortController();
    const url = `${created.urls?.['stream']}&cancel_on_disconnect=true`;
    const events = readEvents(await fetch(url, { signal: leaving.signal }));
    for (let event = 0; event < 20; event++) await events.next();
    leaving.abort();
    const record = await untilStatus(customer.api, created.id, 'CANCELLED');
    expect(Number(record.cost)).toBe(priceOf(tokensIn(record.partial_output ?? '')));
    expect(record.partial_output?.length).toBeGreaterThan(20);
    await expectPaid([record]);
  });
});
