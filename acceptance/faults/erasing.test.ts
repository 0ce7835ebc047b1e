import { tables } from '@holdfast/db/roles/rights';
import { until } from '@holdfast/testkit/until';
import { describe, expect, it } from '@jest/globals';
import { create, untilEvent, untilStatus } from '../stack/executions.ts';
import { stackOfTests } from '../stack/stackOfTests.ts';

const secret = 'SECRET-77c1';

const stack = await stackOfTests();
const customer = await stack.newCustomer('10');
await customer.api.post('/v1/webhooks/endpoints', { url: stack.receiver.url });

const erase = async (id: string) =>
  (await customer.api.fetch(`/v1/executions/${id}`, { method: 'DELETE' })).status;

/** The tables in which the secret is found, as text or as bytes. */
async function tracesIn(): Promise<string[]> {
  const found: string[] = [];
  for (const table of tables) {
    const { rows } = await stack.db.pool.query(
      `SELECT FROM ${table} t WHERE t::text LIKE $1 OR t::text LIKE $2 LIMIT 1`,
      [`%${secret}%`, `%${Buffer.from(secret).toString('hex')}%`],
    );
    if (rows.length > 0) found.push(table);
  }
  return found;
}

describe('an execution that is erased while every service has only its own rights', () => {
  it.each(['sync', 'callback'])('after a run by %s leaves nothing in the database', async (mode) => {
    const fields = { metadata: { secret }, webhook_url: `${stack.receiver.url}/${secret}` };
    const id = await create(customer.api, 'sandbox-text', { prompt: secret, mode }, fields);
    await untilStatus(customer.api, id, 'COMPLETED');
    await untilEvent(stack.receiver, id, 'execution.completed');
    expect(await tracesIn()).toEqual(
      expect.arrayContaining(['executions', 'attempts', 'events', 'deliveries']),
    );
    const { body: balance } = await customer.api.get('/v1/balance');
    expect(await erase(id)).toBe(200);
    // A callback that came with the ending may yet be in the hands of the dispatcher.
    await until('nothing is left', async () => (await tracesIn()).length === 0);
    expect((await customer.api.get(`/v1/executions/${id}/result`)).status).toBe(410);
    expect((await customer.api.get('/v1/balance')).body).toEqual(balance);
  });

  it('is erased with its output files and no others', async () => {
    const input = { prompt: 'a', width: 64, height: 64 };
    const [id, other] = [
      await create(customer.api, 'sandbox-image', input),
      await create(customer.api, 'sandbox-image', input),
    ];
    const fileOf = async (execution: string) => {
      const { result } = await untilStatus(customer.api, execution, 'COMPLETED');
      return (result as { images: [{ file_id: string }] }).images[0].file_id;
    };
    const [file, kept] = [await fileOf(id), await fileOf(other)];
    expect((await customer.api.fetch(`/v1/files/${file}/download`)).status).toBe(200);
    expect(await erase(id)).toBe(200);
    expect((await customer.api.fetch(`/v1/files/${file}/download`)).status).toBe(404);
    expect((await customer.api.fetch(`/v1/files/${kept}/download`)).status).toBe(200);
    // The sweep may have removed it meanwhile.
    const isToRemove = async (fileId: string) => {
      const { state, expiresAt } = await stack.db.prisma.file.findUniqueOrThrow({ where: { id: fileId } });
      return state === 'deleted' || (expiresAt !== null && expiresAt <= new Date());
    };
    expect([await isToRemove(file), await isToRemove(kept)]).toEqual([true, false]);
  });

  it('during the cancellation of its run leaves nothing in the database', async () => {
    const input = { prompt: secret, delay_ms: 600_000, mode: 'callback' };
    const id = await create(customer.api, 'sandbox-text', input);
    await untilStatus(customer.api, id, 'AWAITING_WEBHOOK');
    expect(await erase(id)).toBe(409);
    await customer.api.post(`/v1/executions/${id}/cancel`);
    expect(await erase(id)).toBe(200);
    await until('the run is cancelled at the provider', async () => {
      const attempts = await stack.db.prisma.attempt.findMany({ where: { executionId: id } });
      return attempts.every(({ finishedAt }) => finishedAt !== null);
    });
    expect(await tracesIn()).toEqual([]);
    expect(stack.providerCalls.some((call) => call.endsWith('/cancel'))).toBe(true);
  });
});
