import { auditLedger } from '@holdfast/db/audit/audit';
import { MoneyDecimal } from '@holdfast/domain/money';
import { closing } from '@holdfast/testkit/closing';
import type { Customer } from '@holdfast/testkit/testData';
import { testFolder } from '@holdfast/testkit/testFolder';
import { until } from '@holdfast/testkit/until';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startFleet } from '../../stack/fleet.ts';
import { startLossyProxy } from './lossyProxy.ts';
import { installNode, runNode, runPython } from './programs.ts';
import { settingsFor, startUpstream } from './upstream.ts';

const calls = Number(process.env['LOST_CALLS'] ?? 1000);
const callsUnderKills = calls / 2;
const kills = 5;

const upstream = closing(await startUpstream());
const fleet = closing(await startFleet(testFolder('lost'), settingsFor(upstream)));
const { db } = fleet;
let customer: Customer;

beforeAll(installNode, 600_000);
beforeEach(async () => {
  customer = await fleet.newCustomer();
  upstream.prompts.length = 0;
});

type Call = { text: string; content: string };

/** Both clients at once, through a proxy that loses responses. */
async function throughLosses(count: number, settings: Record<string, string>) {
  const proxy = closing(await startLossyProxy(fleet.baseUrl));
  const remote = { baseUrl: `${proxy.url}/v1/openai`, apiKey: customer.apiKey };
  const each = { CALLS: String(count / 2), WIDTH: '16', ...settings };
  const printed = await Promise.all([
    runNode('repeats.mjs', remote, each),
    runPython('repeats.py', remote, 'openai', each),
  ]);
  for (const lines of printed) if (lines) expect(lines).toHaveLength(count / 2);
  const made = printed.flatMap((lines) => (lines ?? []) as Call[]);
  const lost = [...proxy.lost.values()].reduce((sum, one) => sum + one, 0);
  console.info(`${made.length} calls; ${lost} responses lost: ${JSON.stringify([...proxy.lost])}`);
  return { made, lost };
}

async function ended() {
  const all = () => db.prisma.execution.findMany({ where: { organizationId: customer.organizationId } });
  await until('all have ended', async () => (await all()).every(({ completedAt }) => completedAt), 60_000);
  return await all();
}

const countOf = (texts: readonly string[], text: string) => texts.filter((one) => one === text).length;

/** Counted at the provider, in the executions, the ledger and the journal. */
async function expectPaidOnce(made: Call[]): Promise<void> {
  const executions = await ended();
  const texts = executions.map(({ input }) => {
    const { messages, prompt = '' } = input as { messages?: { content: string }[]; prompt?: string };
    return messages?.at(-1)?.content ?? prompt;
  });
  const different = made.filter(({ text }) => !text.includes('lane'));
  for (const { text, content } of made)
    expect(content).toBe(text.startsWith('paint') ? 'an image' : `You said: ${text}. That is all.`);
  expect(different.filter(({ text }) => countOf(texts, text) !== 1)).toEqual([]);
  expect(different.filter(({ text }) => countOf(upstream.prompts, text) !== 1)).toEqual([]);
  // A repetition of what was said before may have joined it, but is never more than its own.
  expect(executions.length).toBeLessThanOrEqual(made.length);
  expect(new Set(texts).size).toBe(new Set(made.map(({ text }) => text)).size);
  expect([...upstream.prompts].sort()).toEqual([...texts].sort());
  expect(executions.filter(({ status, cost }) => status !== 'COMPLETED' || !cost)).toEqual([]);
  const spent = executions.reduce((sum, { cost }) => sum.plus(cost?.toString() ?? 0), new MoneyDecimal(0));
  const { available, held } = (await customer.api.get('/v1/balance')).body;
  expect([Number(available), Number(held)]).toEqual([new MoneyDecimal(100).minus(spent).toNumber(), 0]);
  const { organizationId } = customer;
  const sql = `SELECT count(*)::int AS settled FROM transfers WHERE organization_id = $1 AND kind = 'settle'`;
  expect((await db.pool.query(sql, [organizationId])).rows).toEqual([{ settled: executions.length }]);
  expect(await auditLedger(db)).toEqual([]);
}

describe("a call by OpenAI's clients is one execution and one charge", () => {
  it('when its responses are lost at random points', async () => {
    const { made, lost } = await throughLosses(calls, { RETRIES: '2' });
    expect(lost).toBeGreaterThan(made.length / 2);
    await expectPaidOnce(made);
  }, 900_000);

  it('when the gateway is killed in the middle, too', async () => {
    const over = new AbortController();
    // Clients that outlast a restart.
    const calling = throughLosses(callsUnderKills, { RETRIES: '10' }).finally(() => over.abort());
    calling.catch(() => {});
    for (let kill = 0; kill < kills && !over.signal.aborted; kill++) {
      const before = upstream.prompts.length;
      await until('calls are made', () => over.signal.aborted || upstream.prompts.length > before, 60_000);
      await fleet.kill('api-gateway');
    }
    await expectPaidOnce((await calling).made);
  }, 300_000);
});
