import { createTestDatabase } from '@holdfast/testkit/testDatabase';
import { describe, expect, it } from '@jest/globals';
import { openDatabase } from './client.ts';
import { inTransaction, storableJson } from './statement.ts';

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
