import { auditLedger } from '@holdfast/db/audit/audit';
import { cancelExecution } from '@holdfast/db/executions/endings';
import { asRole } from '@holdfast/testkit/testDatabase';
import { beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { completedExecution, newExecution } from '../../testing/newExecution.ts';
import { gatewayOfTests, openTestGateway, organizationWithKey } from '../../testing/testGateway.ts';

const path = '/v1/usage';

const gateway = await gatewayOfTests();
const { db } = gateway.context;
const { organizationId, key } = await organizationWithKey(gateway, { balance: '100' });

beforeAll(async () => {
  const other = await organizationWithKey(gateway, { balance: '100' });
  const run = (completedAt: string, cost: string, model: string, tokens: [number, number]) =>
    completedExecution(db, { organizationId, completedAt, cost, model, tokens });
  await run('2025-03-01T00:00:00.000Z', '0.1', 'writer', [1, 10]);
  await run('2025-03-01T23:59:59.999Z', '0.2', 'painter', [2, 20]);
  await run('2025-03-02T00:00:00.000Z', '0.00000001', 'writer', [3, 30]);
  await run('2025-03-09T12:00:00.000Z', '5', '=formula, "quoted"', [2_000_000_000, 40]);
  await run('2025-03-09T13:00:00.000Z', '0', '=formula, "quoted"', [2_000_000_000, 50]);
  // Neither what has not ended or was not charged, nor what is another's.
  await newExecution(db, organizationId);
  await cancelExecution(db, organizationId, await newExecution(db, organizationId));
  await completedExecution(db, {
    organizationId: other.organizationId,
    completedAt: '2025-03-02T00:00:00.000Z',
    cost: '4',
  });
});

function get(query: Record<string, string> = {}, as = key) {
  return request(gateway.app).get(path).query(query).auth(as, { type: 'bearer' });
}

const march = { from: '2025-03-01', to: '2025-04-01' };
const sums = (executions: number, cost: string, input_tokens: number, output_tokens: number) => ({
  executions,
  cost,
  input_tokens,
  output_tokens,
});
const total = sums(5, '5.30000001', 4_000_000_006, 150);

describe('the usage', () => {
  it('by model is the exact sum of the executions completed in the period', async () => {
    expect((await get(march).expect(200)).body).toEqual({
      from: '2025-03-01T00:00:00.000Z',
      to: '2025-04-01T00:00:00.000Z',
      group_by: 'model',
      data: [
        { model: '=formula, "quoted"', ...sums(2, '5.00', 4_000_000_000, 90) },
        { model: 'painter', ...sums(1, '0.20', 2, 20) },
        { model: 'writer', ...sums(2, '0.10000001', 4, 40) },
      ],
      total,
    });
  });

  it('by day is the sum per UTC day', async () => {
    expect((await get({ ...march, group_by: 'day' }).expect(200)).body).toMatchObject({
      group_by: 'day',
      data: [
        { day: '2025-03-01', ...sums(2, '0.30', 3, 30) },
        { day: '2025-03-02', ...sums(1, '0.00000001', 3, 30) },
        { day: '2025-03-09', ...sums(2, '5.00', 4_000_000_000, 90) },
      ],
      total,
    });
  });

  it('by day in a time zone is the sum per day there, of a period in that zone', async () => {
    const tz = 'America/Los_Angeles';
    const { body } = await get({ from: '2025-02-28', to: '2025-03-09', group_by: 'day', tz }).expect(200);
    expect([body.from, body.to]).toEqual(['2025-02-28T08:00:00.000Z', '2025-03-09T08:00:00.000Z']);
    const later = await get({ from: '2025-03-10', to: '2025-03-11', tz }).expect(200);
    // Clocks changed on the 9th.
    expect([later.body.from, later.body.to]).toEqual([
      '2025-03-10T07:00:00.000Z',
      '2025-03-11T07:00:00.000Z',
    ]);
    expect(body.data).toMatchObject([
      { day: '2025-02-28', ...sums(1, '0.10', 1, 10) },
      { day: '2025-03-01', ...sums(2, '0.20000001', 5, 50) },
    ]);
  });

  it('by API key and by a value of the metadata is the sum of each', async () => {
    const own = await organizationWithKey(gateway, { balance: '10' });
    const run = async (cost: string, apiKeyId: string | null, metadata: object | null) => {
      const id = await completedExecution(db, { organizationId: own.organizationId, cost, tokens: [1, 2] });
      await db.pool.query('UPDATE executions SET api_key_id = $2, metadata = $3 WHERE id = $1', [
        id,
        apiKeyId,
        metadata,
      ]);
    };
    await run('0.1', 'key_a', { user: 'ann' });
    await run('0.2', 'key_a', { user: 'ben', team: 7 });
    await run('0.3', null, null);
    await db.pool.query('SELECT recount_usage()');
    const by = async (query: Record<string, string>) => (await get(query, own.key).expect(200)).body;
    expect((await by({ group_by: 'api_key' })).data).toMatchObject([
      { api_key: 'key_a', executions: 2, cost: '0.30' },
      { api_key: null, executions: 1, cost: '0.30' },
    ]);
    expect(await by({ group_by: 'metadata' })).toMatchObject({
      data: [
        { metadata: null, cost: '0.30' },
        { metadata: 'ben', cost: '0.20' },
        { metadata: 'ann', cost: '0.10' },
      ],
      total: { executions: 3, cost: '0.60' },
      counted_since: null,
    });
    expect((await by({ group_by: 'metadata', metadata_key: 'team' })).data).toMatchObject([
      { metadata: null, cost: '0.40' },
      { metadata: '7', cost: '0.20' },
    ]);
    await db.pool.query(
      `INSERT INTO executions SELECT (json_populate_record(e, json_build_object('id', e.id || n, 'idempotency_key', n,
         'created_at', now(), 'completed_at', now() + interval '1 hour'))).*
       FROM executions e, generate_series(1, 20000) n WHERE e.id = (SELECT id FROM executions WHERE organization_id = $1 LIMIT 1)`,
      [own.organizationId],
    );
    expect(await by({ group_by: 'metadata' })).toMatchObject({ data: [], counted_since: expect.any(String) });
    await db.pool.query('DELETE FROM executions WHERE organization_id = $1 AND completed_at > now()', [
      own.organizationId,
    ]);
  });

  it('equals the settled amounts in the journal', async () => {
    const { db } = gateway.context;
    const { rows } = await db.pool.query<{ settled: string }>(
      `SELECT sum(amount)::text AS settled FROM transfers WHERE organization_id = $1 AND kind = 'settle'`,
      [organizationId],
    );
    expect(rows[0]?.settled).toBe(total.cost);
    expect(await auditLedger(db)).toEqual([]);
  });

  it.each([
    ['begins with its first moment', '2025-03-01T23:59:59.999Z', '2025-03-02', 1],
    ['ends before its last', '2025-03-01', '2025-03-01T23:59:59.999Z', 1],
    ['may be given in any time zone', '2025-03-02T01:00:00+01:00', '2025-03-02T01:00:00.001+01:00', 1],
    ['may be given in the farthest time zone', '2025-03-01T23:59:00+23:59', '2025-03-01T00:01:00-23:59', 2],
    ['begins before the first year', '0001-01-01T00:00:00+23:59', '0001-01-01', 0],
    ['ends after the last year', '9999-12-31', '9999-12-31T23:59:59-23:59', 0],
    ['may be nothing', '2025-03-01', '2025-03-01', 0],
    ['may be a leap year', '2025-01-01', '2026-01-02', 5],
    ['may be a leap year with another hour', '2024-10-27', '2025-10-28', 5, 'Europe/Berlin'],
  ])('of a period that %s', async (_name, from, to, executions, tz = 'UTC') => {
    expect((await get({ from, to, tz }).expect(200)).body.total.executions).toBe(executions);
  });

  it('defaults to the current month up to now', async () => {
    const { organizationId: id, key: own } = await organizationWithKey(gateway, { balance: '10' });
    const before = new Date().toISOString();
    await completedExecution(gateway.context.db, { organizationId: id, cost: '0.3', tokens: [1, 2] });
    const { body } = await get({}, own).expect(200);
    expect(body).toMatchObject({
      from: `${body.to.slice(0, 7)}-01T00:00:00.000Z`,
      group_by: 'model',
      data: [{ model: 'writer', ...sums(1, '0.30', 1, 2) }],
    });
    expect(body.to >= before).toBe(true);
  });

  it.each([
    ['2025-03-09T12:30:00Z', '2025-03-01', 4],
    ['2025-03-02', '2025-03-01', 2],
    ['2025-04-01', '2025-03-01', 5],
    ['2025-04-01T02:00:00+02:00', '2025-03-01', 5],
    ['2025-04-01T00:00:00.001Z', '2025-04-01', 0],
  ])('up to %s begins with the month that ends or continues then', async (to, from, executions) => {
    const { body } = await get({ to }).expect(200);
    expect(body).toMatchObject({ from: `${from}T00:00:00.000Z`, total: { executions } });
  });

  it('without executions is empty', async () => {
    const other = await organizationWithKey(gateway);
    expect((await get(march, other.key).expect(200)).body).toMatchObject({
      data: [],
      total: sums(0, '0.00', 0, 0),
    });
  });

  it('includes executions settled days after their creation', async () => {
    const { organizationId: id, key: own } = await organizationWithKey(gateway, { balance: '10' });
    const execution = await completedExecution(gateway.context.db, {
      organizationId: id,
      cost: '0.3',
      completedAt: '2025-03-08T00:00:00Z',
    });
    await gateway.context.db.prisma.execution.update({
      where: { id: execution },
      data: { createdAt: new Date('2025-03-02T00:00:00Z') },
    });
    expect((await get({ ...march, from: '2025-03-08' }, own).expect(200)).body.total.executions).toBe(1);
  });

  it.each([
    [{ tz: 'Mars/Olympus' }, 'tz', 'INVALID_VALUE'],
    [{ tz: '+01:00' }, 'tz', 'INVALID_VALUE'],
    [{ tz: 'CET' }, 'tz', 'INVALID_VALUE'],
    [{ from: '0000-01-01' }, 'from', 'INVALID_FORMAT'],
    [{ from: 'March' }, 'from', 'INVALID_FORMAT'],
    [{ from: '2025-02-29' }, 'from', 'INVALID_FORMAT'],
    [{ to: '2025-03-01T00:00:00' }, 'to', 'INVALID_FORMAT'],
    [{ from: '2025-01-01', to: '2026-01-03' }, 'from', 'OUT_OF_RANGE'],
    [{ from: '2025-03-02', to: '2025-03-01' }, 'from', 'OUT_OF_RANGE'],
    [{ from: '2099-01-01' }, 'from', 'OUT_OF_RANGE'],
    [{ group_by: 'key' }, 'group_by', 'INVALID_VALUE'],
  ])('is refused for %j', async (query, field, code) => {
    const { body } = await get(query).expect(400);
    expect(body.error).toMatchObject({
      code: 'INPUT_VALIDATION_ERROR',
      details: [{ field, code, message: expect.any(String) }],
    });
  });

  it('is refused to a key for executions', async () => {
    await get({}, await gateway.newKey(organizationId, 'execution')).expect(403);
  });

  it("can be read with the gateway's database role", async () => {
    const databaseUrl = asRole(gateway.servers.databaseUrl, 'holdfast_gateway');
    const limited = await openTestGateway({ ...gateway.servers, databaseUrl });
    const { body } = await request(limited.app)
      .get(path)
      .query(march)
      .auth(key, { type: 'bearer' })
      .expect(200);
    expect(body.total).toEqual(total);
    await limited.close();
  });
});

describe('the usage as CSV', () => {
  it.each([
    [
      'model',
      `"'=formula, ""quoted""",2,5.00,4000000000,90\r\npainter,1,0.20,2,20\r\nwriter,2,0.10000001,4,40\r\n`,
    ],
    ['day', '2025-03-01,2,0.30,3,30\r\n2025-03-02,1,0.00000001,3,30\r\n2025-03-09,2,5.00,4000000000,90\r\n'],
  ])('by %s is a file with a line each', async (group_by, lines) => {
    const { text, headers } = await get({ ...march, group_by })
      .set('Accept', 'text/csv')
      .expect(200);
    expect(text).toBe(`${group_by},executions,cost,input_tokens,output_tokens\r\n${lines}`);
    expect(headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': 'attachment; filename="usage_2025-03-01_2025-04-01.csv"',
      vary: 'Accept',
    });
    expect(headers.link).toBeUndefined();
  });

  it('without executions is the header only', async () => {
    const other = await organizationWithKey(gateway);
    const { text } = await get(march, other.key).set('Accept', 'text/csv').expect(200);
    expect(text).toBe('model,executions,cost,input_tokens,output_tokens\r\n');
  });
});
