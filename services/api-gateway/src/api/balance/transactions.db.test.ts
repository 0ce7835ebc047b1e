import { adjustBalance, getBalance } from '@holdfast/db/balances';
import { cancelExecution } from '@holdfast/db/executions/endings';
import { newId } from '@holdfast/domain/ids';
import { asRole } from '@holdfast/testkit/testDatabase';
import { beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { completedExecution, newExecution } from '../../testing/newExecution.ts';
import { gatewayOfTests, openTestGateway, organizationWithKey } from '../../testing/testGateway.ts';

const path = '/v1/balance/transactions';

const gateway = await gatewayOfTests();
const { db } = gateway.context;
const { organizationId, key } = await organizationWithKey(gateway, { balance: '10' });
let cheap: string;
let dear: string;
let cancelled: string;

beforeAll(async () => {
  const other = await organizationWithKey(gateway, { balance: '77' });
  cheap = await completedExecution(db, { organizationId, cost: '0.048' });
  await completedExecution(db, { organizationId: other.organizationId, cost: '0.5' });
  dear = await completedExecution(db, { organizationId, cost: '1' });
  cancelled = await newExecution(db, organizationId);
  await cancelExecution(db, organizationId, cancelled);
  await adjust('-3.5', '=HYPERLINK("http://x.test"), "twice" billed');
});

async function adjust(amount: string, reason: string): Promise<void> {
  await adjustBalance(gateway.context.db, {
    organizationId,
    kind: 'correction',
    amount,
    reason,
    idempotencyKey: null,
  });
}

type Row = { sequence: number; kind: string; created_at: string; execution_id: string | null };
type Page = { data: Row[]; has_more: boolean; next_cursor: string | null };

function get(query: Record<string, string> = {}, as = key) {
  return request(gateway.app).get(path).query(query).auth(as, { type: 'bearer' });
}

async function sequences(query: Record<string, string>): Promise<number[]> {
  const { body } = await get(query).expect(200);
  return (body as Page).data.map(({ sequence }) => sequence);
}

/** A row without the times. */
const row = (
  sequence: number,
  kind: string,
  [amount, available_change, held_change]: [string, string, string],
  [available_after, held_after, balance_after]: [string, string, string],
  execution_id: string | null,
  reason: string | null = null,
) => ({
  sequence,
  kind,
  amount,
  available_change,
  held_change,
  execution_id,
  reason,
  available_after,
  held_after,
  balance_after,
  created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/),
});

describe('the transactions', () => {
  it('are all changes of the balance, newest first, each with the balance after it', async () => {
    const { body } = await get()
      .expect(200)
      .expect('Vary', /Accept/);
    const reason = '=HYPERLINK("http://x.test"), "twice" billed';
    expect(body).toEqual({
      data: [
        row(10, 'correction', ['3.50', '-3.50', '0.00'], ['5.452', '0.00', '5.452'], null, reason),
        row(9, 'release', ['0.60', '0.60', '-0.60'], ['8.952', '0.00', '8.952'], cancelled),
        row(8, 'hold', ['0.60', '-0.60', '0.60'], ['8.352', '0.60', '8.952'], cancelled),
        row(7, 'settle', ['1.00', '0.00', '-1.00'], ['8.952', '0.00', '8.952'], dear),
        row(6, 'overage', ['0.40', '-0.40', '0.40'], ['8.952', '1.00', '9.952'], dear),
        row(5, 'hold', ['0.60', '-0.60', '0.60'], ['9.352', '0.60', '9.952'], dear),
        row(4, 'remainder', ['0.552', '0.552', '-0.552'], ['9.952', '0.00', '9.952'], cheap),
        row(3, 'settle', ['0.048', '0.00', '-0.048'], ['9.40', '0.552', '9.952'], cheap),
        row(2, 'hold', ['0.60', '-0.60', '0.60'], ['9.40', '0.60', '10.00'], cheap),
        row(1, 'top_up', ['10.00', '10.00', '0.00'], ['10.00', '0.00', '10.00'], null),
      ],
      has_more: false,
      next_cursor: null,
    });
    const balance = await getBalance(gateway.context.db, organizationId);
    expect(balance).toEqual({ available: '5.45200000', held: '0.00000000' });
  });

  it.each([1, 3, 5, 10])('are each returned once in pages of %i', async (limit) => {
    const read: number[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const query = { limit: String(limit), ...(cursor && { cursor }) };
      const body = (await get(query).expect(200)).body as Page;
      expect(body.data.length).toBe(Math.min(limit, 10 - read.length));
      expect(body.has_more).toBe(body.next_cursor !== null);
      read.push(...body.data.map(({ sequence }) => sequence));
      cursor = body.next_cursor;
    }
    expect(read).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
  });

  it('of a page are not shifted by later ones', async () => {
    const { key: own, organizationId: id } = await organizationWithKey(gateway, { balance: '10' });
    await newExecution(gateway.context.db, id);
    const first = (await get({ limit: '1' }, own).expect(200)).body as Page;
    await newExecution(gateway.context.db, id);
    const next = (await get({ limit: '1', cursor: first.next_cursor ?? '' }, own).expect(200)).body as Page;
    expect([first, next].flatMap(({ data }) => data.map(({ sequence }) => sequence))).toEqual([2, 1]);
  });

  it.each([
    ['top_up', [1]],
    ['correction', [10]],
    ['hold', [8, 5, 2]],
    ['overage', [6]],
    ['settle', [7, 3]],
    ['remainder', [4]],
    ['release', [9]],
  ])('of kind %s are those alone', async (kind, expected) => {
    expect(await sequences({ kind })).toEqual(expected);
  });

  it('can be filtered by execution, also with kind and page', async () => {
    expect(await sequences({ execution_id: dear })).toEqual([7, 6, 5]);
    expect(await sequences({ execution_id: dear, kind: 'overage' })).toEqual([6]);
    expect(await sequences({ execution_id: dear, cursor: '6' })).toEqual([5]);
    expect(await sequences({ execution_id: dear, kind: 'top_up' })).toEqual([]);
    expect(await sequences({ execution_id: newId('exec') })).toEqual([]);
  });

  it('can be filtered by time, without the limits themselves', async () => {
    const { data } = (await get().expect(200)).body as Page;
    const timeOf = (sequence: number) => data.find((one) => one.sequence === sequence)?.created_at ?? '';
    const between = data
      .filter(({ created_at }) => created_at > timeOf(2) && created_at < timeOf(9))
      .map(({ sequence }) => sequence);
    expect(between.length).toBeGreaterThan(0);
    expect(await sequences({ created_after: timeOf(2), created_before: timeOf(9) })).toEqual(between);
    expect(await sequences({ created_after: timeOf(10) })).toEqual([]);
    expect(await sequences({ created_before: timeOf(1) })).toEqual([]);
  });

  it('of another organization are never seen', async () => {
    const other = await organizationWithKey(gateway);
    for (const query of [{}, { execution_id: dear }, { kind: 'top_up' }, { cursor: '9' }]) {
      expect((await get(query, other.key).expect(200)).body).toEqual({
        data: [],
        has_more: false,
        next_cursor: null,
      });
    }
  });

  it.each([
    [{ limit: '0' }, 'limit', 'OUT_OF_RANGE'],
    [{ limit: '101' }, 'limit', 'OUT_OF_RANGE'],
    [{ kind: 'gift' }, 'kind', 'INVALID_VALUE'],
    [{ execution_id: 'exec_1' }, 'execution_id', 'INVALID_FORMAT'],
    [{ created_after: 'yesterday' }, 'created_after', 'INVALID_FORMAT'],
    [{ cursor: 'exec_1' }, 'cursor', 'INVALID_CURSOR'],
    [{ cursor: '0' }, 'cursor', 'INVALID_CURSOR'],
    [{ cursor: '9'.repeat(19) }, 'cursor', 'INVALID_CURSOR'],
  ])('are refused for %j', async (query, field, code) => {
    const { body } = await get(query).expect(400);
    expect(body.error).toMatchObject({
      code: 'INPUT_VALIDATION_ERROR',
      details: [{ field, code, message: expect.any(String) }],
    });
  });

  it('are refused to a key for executions', async () => {
    await get({}, await gateway.newKey(organizationId, 'execution')).expect(403);
  });

  it("can be read with the gateway's database role", async () => {
    const databaseUrl = asRole(gateway.servers.databaseUrl, 'holdfast_gateway');
    const limited = await openTestGateway({ ...gateway.servers, databaseUrl });
    const { body } = await request(limited.app).get(path).auth(key, { type: 'bearer' }).expect(200);
    expect((body as Page).data).toHaveLength(10);
    await limited.close();
  });
});

describe('the transactions as CSV', () => {
  const header =
    'sequence,kind,amount,available_change,held_change,execution_id,reason,available_after,held_after,balance_after,created_at\r\n';

  it('are one line each, without formulas in reasons and with plain numbers', async () => {
    const { body } = await get({ limit: '2' }).expect(200);
    const [first, second] = (body as Page).data;
    const { text, headers } = await get({ limit: '2' }).set('Accept', 'text/csv').expect(200);
    expect(text).toBe(
      `${header}10,correction,3.50,-3.50,0.00,,"'=HYPERLINK(""http://x.test""), ""twice"" billed",5.452,0.00,5.452,${first?.created_at}\r\n` +
        `9,release,0.60,0.60,-0.60,${cancelled},,8.952,0.00,8.952,${second?.created_at}\r\n`,
    );
    expect(headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': 'attachment; filename="transactions.csv"',
      vary: 'Accept',
      'cache-control': 'no-store',
      link: `<${path}?limit=2&cursor=9>; rel="next"`,
    });
  });

  it('are complete when the links are followed', async () => {
    const lines: string[] = [];
    let next: string | undefined = `${path}?limit=4&created_after=2020-01-01T00%3A00%3A00%2B02%3A00`;
    while (next !== undefined) {
      const response: request.Response = await gateway
        .client(key)
        .get(next)
        .set('Accept', 'text/csv')
        .expect(200);
      lines.push(...response.text.slice(header.length).trimEnd().split('\r\n'));
      next = /^<([^>]+)>; rel="next"$/.exec(response.headers.link ?? '')?.[1];
    }
    expect(lines.map((line) => Number(line.split(',')[0]))).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
  });

  it('without rows are the header only', async () => {
    const other = await organizationWithKey(gateway);
    const { text, headers } = await get({}, other.key).set('Accept', 'text/csv').expect(200);
    expect(text).toBe(header);
    expect(headers.link).toBeUndefined();
  });

  it.each([
    ['text/csv', 'text/csv; charset=utf-8'],
    ['text/*', 'text/csv; charset=utf-8'],
    ['text/csv;charset=UTF-8', 'text/csv; charset=utf-8'],
    ['text/csv; charset=utf-8, application/json;q=0.5', 'text/csv; charset=utf-8'],
    ['application/json; charset=utf-8, text/csv;q=0.5', 'application/json; charset=utf-8'],
    ['text/csv, */*;q=0.1', 'text/csv; charset=utf-8'],
    ['application/json;q=0.5, text/csv;q=0.8', 'text/csv; charset=utf-8'],
    ['application/json, text/csv;q=0.8', 'application/json; charset=utf-8'],
    ['application/json, text/plain, */*', 'application/json; charset=utf-8'],
    ['text/html,application/xml;q=0.9,*/*;q=0.8', 'application/json; charset=utf-8'],
    ['text/csv;q=0', 'application/json; charset=utf-8'],
    ['*/*', 'application/json; charset=utf-8'],
    ['image/png', 'application/json; charset=utf-8'],
  ])('are what Accept: %s gets as %s', async (accept, type) => {
    const { headers } = await get().set('Accept', accept).expect(200);
    expect(headers['content-type']).toBe(type);
    expect(headers.vary).toBe('Accept');
  });

  it('have errors in JSON', async () => {
    const { body } = await get({ limit: '0' }).set('Accept', 'text/csv').expect(400);
    expect(body.error.code).toBe('INPUT_VALIDATION_ERROR');
  });
});
