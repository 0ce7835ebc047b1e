import { newId } from '@holdfast/domain/ids';
import { openTestDatabase } from '@holdfast/testkit/testDatabase';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { explainReads } from '../testing/explainReads.ts';
import { endOverdueDeliveries } from './attempts.ts';
import { claimLanes, type LaneRoom, listDueLanes } from './lanes.ts';

const finished = 5000;
const waitingPerLane = 1000;
const crowdedLanes = 10;
const quietLanes = 200;

const organizationId = newId('org');
const { db, close } = await openTestDatabase();

beforeAll(async () => {
  await db.pool.query(`INSERT INTO organizations (id, name, webhook_secret) VALUES ($1, 'test', '')`, [
    organizationId,
  ]);
  await db.pool.query(made('crowded', 'pending'), [organizationId, crowdedLanes, waitingPerLane]);
  await db.pool.query(made('quiet', 'pending'), [organizationId, quietLanes, 1]);
  await db.pool.query(made('finished', 'delivered'), [organizationId, crowdedLanes, finished / crowdedLanes]);
}, 120_000);

afterAll(close);

/** `$2` endpoints that are named like this with `$3` deliveries each, and their events. */
const made = (name: string, state: string, bodyBytes = 2) => `
WITH endpoint AS (
  INSERT INTO webhook_endpoints (id, organization_id, url, secret)
  SELECT 'wh_${name}_' || n, $1, 'https://example.com', '' FROM generate_series(1, $2::int) n RETURNING id
),
event AS (
  INSERT INTO events (id, organization_id, endpoint_id, type, body, fanned_out_at)
  SELECT new_id('evt'), $1, e.id, 'endpoint.failing', repeat('x', ${bodyBytes}), now() FROM endpoint e, generate_series(1, $3::int)
  RETURNING id, endpoint_id
)
INSERT INTO deliveries (id, event_id, organization_id, endpoint_id, lane, url, state, next_attempt_at, expires_at,
  created_at, finished_at)
SELECT delivery_id(id, endpoint_id), id, $1, endpoint_id, endpoint_id, '', '${state}',
  ${state === 'pending' ? `now() - interval '1 minute'` : 'NULL'}, now() + interval '1 day',
  now() - interval '1 minute', ${state === 'pending' ? 'NULL' : 'now()'}
FROM event`;

const lanes = (name: string, count: number): LaneRoom[] =>
  Array.from({ length: count }, (_, n) => ({ lane: `wh_${name}_${n + 1}`, slots: 4, ahead: 4 }));
const limits = { leaseS: 45, maxAttempts: 5, senders: 1, bodyBytes: 8_388_608 };

// As when the services have just begun, and later.
describe.each(['before', 'after'])('with a long backlog, %s the tables are analysed', (when) => {
  beforeAll(async () => {
    if (when === 'after') await db.pool.query('ANALYZE');
  });

  it('a claim reads only the rows that it takes', async () => {
    const { rows } = await explainReads(db, (asking) =>
      claimLanes(asking, [...lanes('crowded', 5), ...lanes('quiet', 20)], limits),
    );
    expect(rows).toBeGreaterThanOrEqual(5 * 8 + 20);
    expect(rows).toBeLessThan(20 * (5 * 8 + 20));
  });

  it('lanes with due deliveries are found without reading their pending deliveries', async () => {
    const { rows } = await explainReads(db, (asking) => listDueLanes(asking, 5));
    expect(rows).toBeGreaterThanOrEqual(crowdedLanes + quietLanes);
    expect(rows).toBeLessThan(6 * (crowdedLanes + quietLanes));
  });

  it('expired deliveries are found without reading pending ones', async () => {
    const { rows } = await explainReads(db, (asking) => endOverdueDeliveries(asking, 1000));
    expect(rows).toBeGreaterThanOrEqual(crowdedLanes + quietLanes);
    expect(rows).toBeLessThan(6 * (crowdedLanes + quietLanes));
  });
});

describe('a claim of large bodies', () => {
  it('takes them from all lanes in turn until it has enough, and reports the lanes that have more', async () => {
    await db.pool.query(made('large', 'pending', 100_000), [organizationId, 2, 3]);
    const claim = async () => {
      const claims = await claimLanes(db, lanes('large', 2), { ...limits, bodyBytes: 250_000 });
      return [...claims.values()].map(({ claimed, hasMore }) => `${claimed.length} ${hasMore}`);
    };
    expect(new Set(await claim())).toEqual(new Set(['2 true', '1 true']));
    expect(new Set(await claim())).toEqual(new Set(['2 false', '1 false']));
  });

  it('takes at least one', async () => {
    await db.pool.query(made('huge', 'pending', 100_000), [organizationId, 1, 2]);
    const claims = await claimLanes(db, lanes('huge', 1), { ...limits, bodyBytes: 1 });
    expect(claims.get('wh_huge_1')).toMatchObject({ claimed: [{ state: 'pending' }], hasMore: true });
  });
});
