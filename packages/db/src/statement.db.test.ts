import { createTestDatabase, openTestDatabase } from '@holdfast/testkit/testDatabase';
import { afterAll, describe, expect, it } from '@jest/globals';
import { withBinaryArrays } from './binaryArrays.ts';
import { openDatabase } from './client.ts';
import { inTransaction, runStatement, storableJson } from './statement.ts';

const { db, close } = await openTestDatabase(1);
afterAll(close);

it('a connection that breaks during a transaction fails the transaction, and not the process', async () => {
  const { url, drop } = await createTestDatabase();
  const db = openDatabase({ url, poolSize: 2, applicationName: 'test' });
  const broken = inTransaction(db, async (client) => {
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    await db.pool.query('SELECT pg_terminate_backend($1)', [rows[0]?.pid]);
    await client.query('SELECT 1');
  });
  await expect(broken).rejects.toThrow();
  expect(await inTransaction(db, async () => 'well')).toBe('well');
  await db.close();
  await drop();
});

describe('storableJson', () => {
  it.each([
    ['NUL', 'a\0b', 'a\uFFFDb'],
    ['a high surrogate alone', 'a\uD83Db', 'a\uFFFDb'],
    ['a low surrogate alone', 'a\uDE00b', 'a\uFFFDb'],
    ['a whole pair', 'a😀b', 'a😀b'],
    ['other escapes', '\u0001"\\\n', '\u0001"\\\n'],
    ['what only looks like an escape', '\\u0000 \\\\ud800', '\\u0000 \\\\ud800'],
  ])('keeps or replaces %s', (_what, text, kept) => {
    expect(JSON.parse(storableJson({ [text]: [text] }))).toEqual({ [kept]: [kept] });
  });
});

describe('an array parameter', () => {
  const echo = async (type: string, values: unknown[]) => {
    const text = `SELECT $1::${type}[] AS values`;
    const [row] = await runStatement<{ values: unknown[] }>(db.pool, `echo_${type}`, text, [values]);
    return row?.values;
  };

  it.each([
    ['text', ['', 'null', '{"a\\', 'é😀', 'x'.repeat(100_000)]],
    ['bool', [true, false]],
    ['boolean', [false, true]],
    ['int', [0, -1, 2_147_483_647, -2_147_483_648]],
    ['float8', [0.1, -0, 1e300, Infinity, Number.NaN]],
    [
      'timestamptz',
      [new Date(0), new Date('1999-12-31T23:59:59.999Z'), new Date('2026-11-23T01:02:03.004Z')],
    ],
  ])('of %s reaches PostgreSQL in binary, as it is', async (type, values) => {
    expect(withBinaryArrays(`$1::${type}[]`, [values])).toEqual([expect.any(Buffer)]);
    expect(await echo(type, [...values, null])).toEqual([...values, null]);
    expect(await echo(type, [undefined, ...values])).toEqual([null, ...values]);
    expect(await echo(type, [])).toEqual([]);
  });

  it.each(['json', 'jsonb'])('of %s is sent as the texts of its values', async (type) => {
    const values = [{ a: '"\\é😀' }, [1, null], 'text', null];
    expect(await echo(type, [...values.map((value) => JSON.stringify(value)), null])).toEqual([
      ...values,
      null,
    ]);
  });

  it('of a type without a binary format here is sent as text', async () => {
    expect(await echo('numeric', ['1.10', null])).toEqual([1.1, null]);
  });

  it('whose values have another type is converted by PostgreSQL, or refused', async () => {
    expect(await echo('int', ['7', 8])).toEqual([7, 8]);
    expect(await echo('text', [7, true])).toEqual(['7', 'true']);
    expect(await echo('timestamptz', ['2026-11-23T01:02:03.004005Z'])).toHaveLength(1);
    await expect(echo('int', [2_147_483_648])).rejects.toThrow('out of range');
    await expect(echo('int', [1.5])).rejects.toThrow('invalid input syntax');
    await expect(echo('json', ['{'])).rejects.toThrow('invalid input syntax');
    await expect(echo('text', ['a\0b'])).rejects.toThrow('invalid byte sequence');
  });
});

it.each([
  ['2026-11-23 01:02:03.004+00', 'UTC', '2026-11-23T01:02:03.004Z'],
  ['2026-11-23 01:02:03+02', 'Etc/GMT-2', '2026-11-22T23:02:03.000Z'],
  ['2026-11-23 01:02:03.5+05:30', 'Asia/Kolkata', '2026-11-22T19:32:03.500Z'],
  ['0099-12-31 00:00:00+00', 'UTC', '0099-12-31T00:00:00.000Z'],
  ['12026-01-01 00:00:00+00', 'UTC', '+012026-01-01T00:00:00.000Z'],
])('a service reads the time %s in the zone %s', async (text, zone, time) => {
  await db.pool.query(`SET TIME ZONE '${zone}'`);
  const { rows } = await db.pool.query(
    'SELECT t AS time, t::text AS text FROM (SELECT $1::timestamptz AS t)',
    [text],
  );
  expect(rows).toEqual([{ time: new Date(time), text }]);
});
