import { attemptsToStop, markStopped } from '@holdfast/db/attempts/lease';
import { recordOutcomes, recordRunning } from '@holdfast/db/attempts/outcomes';
import { auditLedger } from '@holdfast/db/audit/audit';
import { getBalance } from '@holdfast/db/balances';
import { readCallback, storeCallback } from '@holdfast/db/callbacks';
import { openDatabase } from '@holdfast/db/client';
import { cancelExecution, completeExecutions, failExecutions } from '@holdfast/db/executions/endings';
import { getExecution } from '@holdfast/db/executions/read';
import { startExecutions } from '@holdfast/db/executions/start';
import { getFiles, insertOutput, listRemovableFiles, markOutputReady } from '@holdfast/db/files';
import { tables } from '@holdfast/db/roles/rights';
import { recordAttempts } from '@holdfast/db/webhooks/attempts';
import { recoverDeliveries, redeliver } from '@holdfast/db/webhooks/redelivery';
import { newId } from '@holdfast/domain/ids';
import type { RecordedOutcome } from '@holdfast/domain/outcome';
import { createTestOrganization, insertTestExecution } from '@holdfast/testkit/testData';
import { asRole, openTestDatabase } from '@holdfast/testkit/testDatabase';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { erase } from './lifecycle.ts';

const secret = 'SECRET-6f1d';

const { db, url, close } = await openTestDatabase(10);
/** With the role of the gateway. */
const gateway = openDatabase({ url: asRole(url, 'holdfast_gateway'), poolSize: 10, applicationName: 'test' });
let organizationId: string;

beforeEach(async () => {
  organizationId = await createTestOrganization(db, '100');
});

afterAll(async () => {
  expect(await auditLedger(db)).toEqual([]);
  await gateway.close();
  await close();
});

const success: RecordedOutcome = {
  ok: true,
  output: { text: secret },
  inputTokens: 3,
  outputTokens: 4,
  cost: '0.20000000',
};
const failure: RecordedOutcome = { ok: false, code: 'GENERATION_FAILED', message: secret };

async function create(): Promise<string> {
  const id = newId('exec');
  return await insertTestExecution(db, {
    id,
    organizationId,
    idempotencyKey: id,
    requestHash: 'hash',
    inputJson: JSON.stringify({ prompt: secret }),
    metadataJson: JSON.stringify({ secret }),
    webhookUrl: `https://${secret}.test/`,
  });
}

/** A running execution. */
async function running() {
  const id = await create();
  const [started] = await startExecutions(db, [{ id, connection: 'sandbox', target: 'm' }], 30);
  if (!started) throw new Error('not started');
  const { attemptId, attemptToken: token } = started;
  const handle = { externalId: 'run', url: `https://provider.test/${secret}` };
  await recordRunning(db, [{ attemptId, handle, awaitsCallback: true, pollAfterMs: 60_000 }]);
  return { id, attemptId, token };
}

const sendCallback = (token: string) => {
  const id = newId('cbk');
  const stored = { id, token, provider: 'sandbox', eventKey: id, headers: {}, body: Buffer.from(secret) };
  return storeCallback(db, stored).then(() => id);
};

async function storeFile(executionId: string): Promise<string> {
  const id = newId('file');
  const filename = `${id}.png`;
  await insertOutput(db, { id, key: id, organizationId, executionId, filename, contentType: 'image/png' });
  await markOutputReady(db, id, { sizeBytes: 1, width: 1, height: 1 });
  return id;
}

/**
 * Fans an event of an execution out as the webhook-sender does, in this state. The response repeats the event, and the
 * error contains the host. Returns the delivery.
 */
async function deliver(executionId: string, type: string, state = 'pending'): Promise<string> {
  const { rows } = await db.pool.query<{ id: string }>(
    `WITH v AS (
       UPDATE events SET fanned_out_at = now(), body = $3 WHERE id = event_id($1, $2) RETURNING id, organization_id
     ),
     d AS (
       INSERT INTO deliveries (id, event_id, organization_id, lane, url, state, finished_at, expires_at)
       SELECT delivery_id(id, NULL), id, organization_id, organization_id || ' ' || $3, $3, $4, CASE WHEN $4 <> 'pending' THEN now() END,
         now() + interval '1 day' FROM v RETURNING id
     )
     INSERT INTO delivery_attempts (delivery_id, number, status_code, answer, error)
     SELECT id, 1, 500, 'I got ' || $3, 'dns: ' || $3 || ' has no address' FROM d RETURNING delivery_id AS id`,
    [executionId, type, `https://${secret}.test/`, state],
  );
  return rows[0]?.id ?? '';
}

async function ended(outcome: RecordedOutcome) {
  const { id, attemptId, token } = await running();
  await sendCallback(token);
  const file = await storeFile(id);
  await recordOutcomes(db, [{ attemptId, outcome, state: outcome.ok ? 'succeeded' : 'failed' }]);
  await (outcome.ok ? completeExecutions : failExecutions)(db, [attemptId]);
  return { id, attemptId, token, file };
}

/** The tables that contain content of executions; every test erases all of its own. */
async function tracesIn(): Promise<string[]> {
  const found: string[] = [];
  for (const table of tables) {
    const { rows } = await db.pool.query(
      `SELECT FROM ${table} t WHERE t::text LIKE $1 OR t::text LIKE $2 LIMIT 1`,
      [`%${secret}%`, `%${Buffer.from(secret).toString('hex')}%`],
    );
    if (rows.length > 0) found.push(table);
  }
  return found;
}

describe('erasing an execution', () => {
  it.each([
    ['COMPLETED', success],
    ['FAILED', failure],
  ])('that is %s removes all content and keeps the money', async (status, outcome) => {
    const { id, file } = await ended(outcome);
    await deliver(id, 'execution.started', 'delivered');
    await deliver(id, `execution.${status.toLowerCase()}`);
    const before = await getExecution(db, organizationId, id);
    const balance = await getBalance(db, organizationId);
    expect(await tracesIn()).toEqual(
      expect.arrayContaining([
        'executions',
        'attempts',
        'events',
        'deliveries',
        'delivery_attempts',
        'provider_callbacks',
      ]),
    );

    await erase(gateway, organizationId, id);

    expect(await tracesIn()).toEqual([]);
    expect(await getExecution(db, organizationId, id)).toEqual({
      ...before,
      metadata: null,
      webhookUrl: null,
      output: null,
      errorMessage: null,
      erasedAt: expect.any(Date),
    });
    expect(await getBalance(db, organizationId)).toEqual(balance);
    expect(await getFiles(db, organizationId, [file])).toEqual([]);
    expect((await listRemovableFiles(db, 1000)).map((removable) => removable.id)).toContain(file);
    const { rows } = await db.pool.query('SELECT outcome FROM attempts WHERE execution_id = $1', [id]);
    expect(rows[0].outcome).toEqual(
      outcome.ok
        ? { ok: true, inputTokens: 3, outputTokens: 4, cost: '0.20000000' }
        : { ok: false, code: 'GENERATION_FAILED' },
    );
  });

  it('is refused while it runs and for other organizations', async () => {
    const { id } = await running();
    const stranger = await createTestOrganization(db, '1');
    await expect(erase(gateway, organizationId, id)).rejects.toMatchObject({
      code: 'EXECUTION_NOT_TERMINAL',
      message: expect.stringContaining('Cancel it first'),
    });
    await cancelExecution(db, organizationId, id);
    await expect(erase(gateway, stranger, id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(erase(gateway, organizationId, newId('exec'))).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await erase(gateway, organizationId, id);
    expect(await tracesIn()).toEqual(['attempts']);
    // The handle is kept until the provider has been stopped.
    const [toStop] = await attemptsToStop(db, id);
    expect(toStop?.handle).toMatchObject({ externalId: 'run' });
    await markStopped(db, [toStop?.attemptId ?? '']);
    expect(await tracesIn()).toEqual([]);
  });

  it('keeps the time of the first erasure', async () => {
    const { id } = await ended(success);
    await erase(gateway, organizationId, id);
    const first = await getExecution(db, organizationId, id);
    await Promise.all([1, 2, 3].map(() => erase(gateway, organizationId, id)));
    expect(await getExecution(db, organizationId, id)).toEqual(first);
  });
});

describe('deliveries of an erased execution', () => {
  it('expire when they are pending and can be neither redelivered nor recovered', async () => {
    const { id } = await ended(success);
    const delivered = await deliver(id, 'execution.started', 'delivered');
    const pending = await deliver(id, 'execution.completed');
    await db.pool.query(`UPDATE deliveries SET endpoint_id = NULL, lease_until = now() WHERE id = $1`, [
      pending,
    ]);
    await erase(gateway, organizationId, id);
    const { rows } = await db.pool.query(
      'SELECT id, state, next_attempt_at, lease_until FROM deliveries WHERE id = ANY ($1) ORDER BY state',
      [[delivered, pending]],
    );
    expect(rows.map(({ id: one, state }) => [one, state])).toEqual([
      [delivered, 'delivered'],
      [pending, 'expired'],
    ]);
    expect(rows[1]).toMatchObject({ next_attempt_at: null, lease_until: null });
    expect(await redeliver(gateway, organizationId, pending)).toBe('erased');
    expect(await redeliver(gateway, organizationId, newId('dlv'))).toBeNull();
  });

  it('keep the status codes of responses and not their texts', async () => {
    const { id } = await ended(success);
    const { id: otherId } = await ended(failure);
    const other = await deliver(otherId, 'execution.failed', 'failed');
    const attempts = async (delivery: string) =>
      (
        await db.pool.query(
          'SELECT status_code, answer, error FROM delivery_attempts WHERE delivery_id = $1',
          [delivery],
        )
      ).rows;
    const ids = [
      await deliver(id, 'execution.started', 'delivered'),
      await deliver(id, 'execution.completed', 'failed'),
    ];
    await erase(gateway, organizationId, id);
    for (const delivery of ids) {
      expect(await attempts(delivery)).toEqual([{ status_code: 500, answer: null, error: 'dns' }]);
    }
    expect(await attempts(other)).toMatchObject([
      { answer: expect.stringContaining(secret), error: expect.stringContaining(secret) },
    ]);
    await erase(gateway, organizationId, otherId);
  });

  it('are left out when an endpoint recovers its deliveries', async () => {
    const endpointId = newId('wh');
    await db.prisma.webhookEndpoint.create({
      data: {
        id: endpointId,
        organizationId,
        url: 'https://x.test',
        events: [],
        secret: 'sealed',
        isActive: false,
      },
    });
    const ids = [(await ended(success)).id, (await ended(success)).id];
    for (const id of ids) {
      await db.pool.query(
        `WITH v AS (UPDATE events SET fanned_out_at = now(), body = '{}' WHERE id = event_id($1, 'execution.completed')
           RETURNING id, organization_id)
         INSERT INTO deliveries (id, event_id, organization_id, endpoint_id, lane, url, state, finished_at, expires_at)
         SELECT delivery_id(id, $2), id, organization_id, $2, $2, 'https://x.test', 'failed', now(), now() FROM v`,
        [id, endpointId],
      );
    }
    await erase(gateway, organizationId, ids[0] ?? '');
    expect(await recoverDeliveries(gateway, endpointId, new Date(0), 10)).toEqual({
      count: 1,
      hasMore: false,
    });
    await erase(gateway, organizationId, ids[1] ?? '');
  });

  it('are not made for events that are not yet fanned out', async () => {
    const { id } = await ended(success);
    await erase(gateway, organizationId, id);
    const { rows } = await db.pool.query(
      'SELECT FROM events WHERE execution_id = $1 AND fanned_out_at IS NULL',
      [id],
    );
    expect(rows).toEqual([]);
  });
});

describe('content that arrives after the erasure', () => {
  it('is not stored from a receiver', async () => {
    const { id } = await ended(success);
    const ids = [await deliver(id, 'execution.started'), await deliver(id, 'execution.completed')];
    await db.pool.query('UPDATE deliveries SET attempts = 1 WHERE id = ANY ($1)', [ids]);
    await erase(gateway, organizationId, id);
    const of = { attempts: 1, number: 1, endpointId: null, isProbe: false, ok: false, isGone: false };
    const claim = { leaseUntil: new Date(), startedAt: new Date(), inFlightLimit: null };
    const late = { ...of, ...claim, countsForEndpoint: true, durationMs: 1, nextDelayS: 1, retryAfterS: 0 };
    const unnamed = { ...late, statusCode: null, error: `dns queryA ENOTFOUND ${secret}.test`, stage: 'dns' };
    const repeated = { ...late, statusCode: 500, error: 'responded with 500', stage: 'response' };
    const records = [
      { ...unnamed, id: ids[0] ?? '', response: null },
      { ...repeated, id: ids[1] ?? '', response: secret },
    ];
    await recordAttempts(db, records, { failuresToNotify: 4, failuresToDeactivate: 10, maxProbeDelayS: 60 });
    expect(await tracesIn()).toEqual([]);
    const { rows } = await db.pool.query(
      'SELECT error FROM delivery_attempts WHERE delivery_id = ANY ($1) ORDER BY error',
      [ids],
    );
    expect(rows).toEqual([{ error: 'dns' }, { error: 'responded with 500' }]);
  });

  it('is not stored from a run that was not stopped in time', async () => {
    const { id, attemptId, token } = await running();
    await cancelExecution(db, organizationId, id);
    await erase(gateway, organizationId, id);
    const callback = await sendCallback(token);
    expect(await readCallback(db, callback)).toBeNull();
    const file = await storeFile(id);
    expect(await getFiles(db, organizationId, [file])).toEqual([]);
    expect((await listRemovableFiles(db, 1000)).map((removable) => removable.id)).toContain(file);
    await recordOutcomes(db, [{ attemptId, outcome: success, state: 'succeeded' }]);
    expect(await completeExecutions(db, [attemptId])).toEqual([]);
    expect(await tracesIn()).toEqual([]);
  });

  it('is not stored when it arrives at the same time, and the ledger stays correct', async () => {
    for (let round = 0; round < 25; round += 1) {
      const { id, attemptId, token } = await running();
      await cancelExecution(db, organizationId, id);
      const outcome = { attemptId, outcome: success, state: 'succeeded' as const };
      await Promise.all([
        recordOutcomes(db, [outcome]).then(() => completeExecutions(db, [attemptId])),
        erase(gateway, organizationId, id),
        sendCallback(token),
        erase(gateway, organizationId, id),
        storeFile(id),
        completeExecutions(db, [attemptId]),
      ]);
      const { rows } = await db.pool.query(
        `SELECT c.id FROM provider_callbacks c JOIN attempts a USING (token) WHERE a.execution_id = $1`,
        [id],
      );
      // A callback in between is dropped when it is read.
      for (const row of rows) expect(await readCallback(db, row.id)).toMatchObject({ erased: true });
      await db.pool.query('DELETE FROM provider_callbacks');
      expect(await tracesIn()).toEqual([]);
      const files = await db.pool.query(
        'SELECT FROM files WHERE execution_id = $1 AND (expires_at IS NULL OR expires_at > now())',
        [id],
      );
      expect(files.rows).toEqual([]);
    }
  });
});
