import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { auditLedger } from '@holdfast/db/audit/audit';
import { startFakeReplicate } from '@holdfast/providers/replicate/testing/fakeReplicate';
import { closing } from '@holdfast/testkit/closing';
import type { Customer } from '@holdfast/testkit/testData';
import { testFolder } from '@holdfast/testkit/testFolder';
import { until } from '@holdfast/testkit/until';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { create } from '../stack/executions.ts';
import { startFleet } from '../stack/fleet.ts';

const count = 40;
const kills = 4;

let customer: Customer;

const replicate = closing(await startFakeReplicate());
const chat = closing(await startChat());
const fleet = closing(
  await startFleet(testFolder('exactly-once'), {
    REPLICATE_BASE_URL: replicate.baseUrl,
    REPLICATE_API_KEY: replicate.apiKey,
    OPENAI_BASE_URL: chat.baseUrl,
    OPENAI_API_KEY: 'sk-test',
  }),
);

beforeEach(async () => {
  customer = await fleet.newCustomer();
});

/** A slow server of chat completions that counts its requests by prompt. */
async function startChat() {
  const prompts: string[] = [];
  const server = createServer((request, response) => void respond(request, response));
  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { messages } = JSON.parse(Buffer.concat(chunks).toString()) as { messages: { content: string }[] };
    prompts.push(messages.at(-1)?.content ?? '');
    await delay(200 + (prompts.length % 10) * 100);
    const choices = [{ finish_reason: 'stop', message: { role: 'assistant', content: 'yes' } }];
    const usage = { prompt_tokens: 3, completion_tokens: 1 };
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ choices, usage }));
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    prompts,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Creates a wave of executions before each kill -9 of the dispatcher, which comes while it is at them. `begun` counts runs. */
async function createUnderKills(model: string, begun: () => number): Promise<void> {
  for (let wave = 0; wave < kills; wave++) {
    const before = begun();
    const inputs = Array.from({ length: count / kills }, (_, index) => ({
      prompt: `${model} ${wave}-${index}`,
    }));
    await Promise.all(inputs.map((input) => create(customer.api, model, input)));
    await until('the dispatcher is at them', () => begun() > before);
    await delay(Math.random() * 600);
    await fleet.kill('dispatcher');
  }
}

const executions = () =>
  fleet.db.prisma.execution.findMany({ where: { organizationId: customer.organizationId } });

async function ended() {
  await until(
    'everything has ended',
    async () => (await executions()).every(({ completedAt }) => completedAt !== null),
    120_000,
  );
  return await executions();
}

describe('while dispatchers are killed again and again, every execution', () => {
  it('is accepted once and completes, at a provider that can be queried', async () => {
    const hows = ['accept', 'accept', 'accept, then reset', 'accept, then half a body'] as const;
    const mixing = setInterval(() => {
      const create = hows[Math.floor(Math.random() * hows.length)] ?? 'accept';
      replicate.plan({ create, endsAfterMs: Math.floor(Math.random() * 1500) });
    }, 20);
    await createUnderKills('flux-schnell', () => replicate.accepted().length).finally(() =>
      clearInterval(mixing),
    );
    replicate.plan({ create: 'accept', endsAfterMs: 10 });
    const all = await ended();
    expect(all.map(({ status, errorCode }) => `${status} ${errorCode}`)).toEqual(
      all.map(() => 'COMPLETED null'),
    );

    const tokens = replicate.accepted().map((id) => replicate.run(id).body.webhook?.split('/').at(-1) ?? '');
    const attempts = await fleet.db.prisma.attempt.findMany({ where: { token: { in: tokens } } });
    expect(attempts).toHaveLength(tokens.length);
    expect(new Set(attempts.map(({ executionId }) => executionId)).size).toBe(count);
    expect(tokens).toHaveLength(count);
    expect(await auditLedger(fleet.db)).toEqual([]);
  }, 240_000);

  it('is posted once, at a provider that cannot be queried, and fails uncharged if its outcome is unknown', async () => {
    await createUnderKills('gpt-4o-mini', () => chat.prompts.length);
    const all = await ended();
    expect(new Set(chat.prompts).size).toBe(chat.prompts.length);
    const failed = all.filter(({ status }) => status !== 'COMPLETED');
    expect(failed.map(({ status, errorCode }) => `${status} ${errorCode}`)).toEqual(
      failed.map(() => 'FAILED GENERATION_FAILED'),
    );
    const ids = failed.map(({ id }) => id);
    const attempts = await fleet.db.prisma.attempt.findMany({ where: { executionId: { in: ids } } });
    expect(attempts.map(({ state }) => state)).toEqual(ids.map(() => 'unknown'));
    expect(failed.every(({ cost }) => cost === null)).toBe(true);
    // The kills came in the middle: without one, this test would show nothing.
    expect(failed.length).toBeGreaterThan(0);
    expect(await auditLedger(fleet.db)).toEqual([]);
  }, 240_000);
});
