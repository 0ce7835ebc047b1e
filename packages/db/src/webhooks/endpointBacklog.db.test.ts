import { newId } from '@holdfast/domain/ids';
import { openTestDatabase } from '@holdfast/testkit/testDatabase';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openDatabase } from '../client.ts';
import { explainReads } from '../testing/explainReads.ts';
import { maxCounted, readEndpointBacklog } from './endpointBacklog.ts';

const organizationId = newId('org');
const endpointId = newId('wh');
const { db, url, close } = await openTestDatabase();
// Plans anew what the other sessions have prepared.
const planner = openDatabase({ url, poolSize: 1, applicationName: 'test' });

/** Adds deliveries that wait, the first of them created `minutesAgo`. */
async function addDeliveries(count: number, minutesAgo: number): Promise<void> {
  await db.pool.query(
    `WITH event AS (
       INSERT INTO events (id, organization_id, endpoint_id, type, body, fanned_out_at)
       SELECT new_id('evt'), $1, $2, 'endpoint.failing', '{}', now() FROM generate_series(1, $3::int) RETURNING id
     )
     INSERT INTO deliveries (id, event_id, organization_id, endpoint_id, lane, url, expires_at, created_at)
     SELECT delivery_id(id, $2), id, $1, $2, $2, '', now() + interval '1 day', now() - $4 * interval '1 minute' FROM event`,
    [organizationId, endpointId, count, minutesAgo],
  );
}

beforeAll(async () => {
  await db.pool.query(`INSERT INTO organizations (id, name, webhook_secret) VALUES ($1, 'test', '')`, [
    organizationId,
  ]);
  await db.pool.query(
    `INSERT INTO webhook_endpoints (id, organization_id, url, secret, is_active, last_success, last_failure, failing_since, missed)
     VALUES ($1, $2, 'https://example.com', '', false, now() - interval '61 minutes', now() - interval '50 minutes',
       now() - interval '50 minutes', tstzmultirange(tstzrange(now() - interval '50 minutes 1 second', NULL)))`,
    [endpointId, organizationId],
  );
});
afterAll(async () => {
  await planner.close();
  await close();
});

describe('the backlog of an endpoint', () => {
  it('has what the receiver responded last, although thousands wait that were never attempted', async () => {
    await addDeliveries(3, 60);
    await db.pool.query(
      `INSERT INTO delivery_attempts (delivery_id, number, started_at, duration_ms, status_code, error, answer)
       SELECT id, n, now() - (60 - n) * interval '1 minute', 100, 503, 'responded with 503', 'down ' || n
       FROM deliveries, generate_series(1, 2) n`,
    );
    await addDeliveries(maxCounted + 500, 40);
    const backlog = await readEndpointBacklog(db, endpointId);
    expect(backlog).toMatchObject({ waiting: maxCounted + 1, deactivatedAt: expect.any(Date) });
    expect(backlog.attempts.map(({ response, number }) => [response, number])).toEqual(
      Array.from({ length: 3 }, () => ['down 2', 2]),
    );
  });

  it('is read by indexes from both ends, however much waits between', async () => {
    await db.pool.query('ANALYZE');
    const { rows } = await explainReads(planner, (asking) => readEndpointBacklog(asking, endpointId));
    expect(rows).toBeLessThan(2100);
  });
});
