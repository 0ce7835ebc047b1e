import { newId } from '@holdfast/domain/ids';
import { createTestOrganization } from '@holdfast/testkit/testData';
import { openTestDatabase } from '@holdfast/testkit/testDatabase';
import { until } from '@holdfast/testkit/until';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { Database } from '../client.ts';
import { removeWebhookEndpoint, updateWebhookEndpoint } from './endpoints.ts';

let db: Database;
let close: () => Promise<void>;
let organizationId: string;
const endpointId = newId('wh');

beforeEach(async () => {
  ({ db, close } = await openTestDatabase(4));
  organizationId = await createTestOrganization(db, '1');
  await db.prisma.webhookEndpoint.create({
    data: { id: endpointId, organizationId, url: 'https://example.com', secret: 'k.s' },
  });
});

afterEach(() => close());

/** Deliveries that wait for a retry, the last of them written and due first. Returns their ids in order. */
async function addWaiting(): Promise<string[]> {
  const { rows } = await db.pool.query<{ id: string }>(
    `INSERT INTO deliveries (id, event_id, organization_id, endpoint_id, lane, url, next_attempt_at, expires_at)
     SELECT id, event, $2, $1, $1, '', now() + row_number() OVER (ORDER BY id DESC) * interval '1 minute',
       now() + interval '1 day'
     FROM (SELECT delivery_id(made.id, $1) AS id, made.id AS event
       FROM (SELECT new_id('evt') AS id FROM generate_series(1, 2)) made) d ORDER BY id DESC RETURNING id`,
    [endpointId, organizationId],
  );
  return rows.map(({ id }) => id).toSorted();
}

it.each([
  ['activation', () => updateWebhookEndpoint(db, organizationId, endpointId, { isActive: true })],
  ['removal', () => removeWebhookEndpoint(db, organizationId, endpointId)],
])(
  '%s locks deliveries in order of their ids: it waits for whoever does so, and no session waits for it',
  async (_, change) => {
    const ids = await addWaiting();
    const other = await db.pool.connect();
    const lock = (id = '') => other.query('SELECT id FROM deliveries WHERE id = $1 FOR UPDATE', [id]);
    await other.query('BEGIN');
    await lock(ids[0]);
    const changing = change();
    await until('it waits', async () => {
      const { rows } = await db.pool.query(`SELECT FROM pg_locks WHERE NOT granted`);
      return rows.length > 0;
    });
    await lock(ids[1]);
    await other.query('COMMIT');
    other.release();
    expect(await changing).toBeTruthy();
  },
);
