import { newId } from '@holdfast/domain/ids';
import { openTestDatabase } from '@holdfast/testkit/testDatabase';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openDatabase } from '../client.ts';
import { explainReads } from '../testing/explainReads.ts';
import { readEndpointActivity } from './anyEndpoints.ts';
import { maxDeliveries, readEndpointHours } from './endpointHours.ts';

const organizationId = newId('org');
const { db, url, close } = await openTestDatabase();
// Plans anew what the other sessions have prepared.
const planner = openDatabase({ url, poolSize: 1, applicationName: 'test' });
const from = new Date(Date.now() - 23 * 3_600_000);

beforeAll(async () => {
  await db.pool.query(`INSERT INTO organizations (id, name, webhook_secret) VALUES ($1, 'test', '')`, [
    organizationId,
  ]);
});
afterAll(async () => {
  await planner.close();
  await close();
});

/** An endpoint with pending deliveries, and attempts at each of them. */
async function newEndpoint(deliveries: number, attempts: number): Promise<string> {
  const id = newId('wh');
  await db.pool.query(
    `INSERT INTO webhook_endpoints (id, organization_id, url, secret) VALUES ($1, $2, 'https://example.com', '')`,
    [id, organizationId],
  );
  await db.pool.query(
    `WITH event AS (
       INSERT INTO events (id, organization_id, endpoint_id, type, body, fanned_out_at)
       SELECT new_id('evt'), $1, $2, 'endpoint.failing', '{}', now() FROM generate_series(1, $3::int) RETURNING id
     )
     INSERT INTO deliveries (id, event_id, organization_id, endpoint_id, lane, url, expires_at, created_at)
     SELECT delivery_id(id, $2), id, $1, $2, $2, '', now() + interval '1 day', now() - interval '1 minute' FROM event`,
    [organizationId, id, deliveries],
  );
  await db.pool.query(
    `INSERT INTO delivery_attempts (delivery_id, number, duration_ms, error)
     SELECT d.id, n, 100, 'refused' FROM deliveries d, generate_series(1, $2::int) n WHERE d.endpoint_id = $1`,
    [id, attempts],
  );
  return id;
}

const failures = async (id: string) =>
  (await readEndpointHours(db, id, from)).hours.reduce((sum, { failed }) => sum + failed, 0);

describe('the hours of an endpoint', () => {
  it('name the oldest delivery that was looked at, although none of them has an attempt', async () => {
    const id = await newEndpoint(maxDeliveries, 0);
    expect(await readEndpointHours(db, id, from)).toEqual({ hours: [], since: expect.any(Date) });
  });

  it('are complete with fewer deliveries, and with none', async () => {
    for (const count of [maxDeliveries - 1, 0]) {
      const id = await newEndpoint(count, 0);
      expect(await readEndpointHours(db, id, from)).toEqual({ hours: [], since: null });
    }
  });

  it('have the failures of deliveries that are sent again, and read no other attempts', async () => {
    await newEndpoint(500, 2);
    const id = await newEndpoint(100, 2);
    await db.pool.query('UPDATE deliveries SET attempts = 0');
    for (const when of ['before', 'after']) {
      if (when === 'after') await db.pool.query('ANALYZE');
      expect([when, await failures(id)]).toEqual([when, 200]);
      const { rows } = await explainReads(planner, (asking) => readEndpointHours(asking, id, from));
      expect([when, rows]).toEqual([when, 300]);
    }
  });
});

describe('the activity of an endpoint', () => {
  it('has the failures of deliveries that are sent again, and reads no other attempts', async () => {
    await newEndpoint(500, 2);
    const id = await newEndpoint(100, 2);
    await db.pool.query('UPDATE deliveries SET attempts = 0');
    const activityOf = await readEndpointActivity(db, [id]);
    expect(activityOf(id)).toEqual({ attempts: 200, succeeded: 0, p50Ms: 100, p95Ms: 100 });
    const { rows } = await explainReads(planner, (asking) => readEndpointActivity(asking, [id]));
    expect(rows).toBe(400);
  });
});
