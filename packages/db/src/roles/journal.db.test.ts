import { newId } from '@holdfast/domain/ids';
import { createTestOrganization, insertTestExecution } from '@holdfast/testkit/testData';
import { asRole, openTestDatabase, openTestPool, rolePasswords } from '@holdfast/testkit/testDatabase';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import { auditLedger } from '../audit/audit.ts';
import { getBalance } from '../balances.ts';
import { updateOrganization } from '../organizations.ts';
import { setSpendLimit } from '../spendLimits.ts';
import type { Role } from './rights.ts';
import { applyRoles } from './roles.ts';

const { db, url, close } = await openTestDatabase();
const pools = new Map<Role, pg.Pool>();
let organizationId: string;

beforeAll(async () => {
  await applyRoles(url, rolePasswords);
});

afterAll(async () => {
  await Promise.all([...pools.values()].map((pool) => pool.end()));
  await close();
});

beforeEach(async () => {
  organizationId = await createTestOrganization(db, '10');
});

function as(role: Role): pg.Pool {
  const known = pools.get(role);
  if (known) return known;
  const pool = openTestPool(asRole(url, role));
  pools.set(role, pool);
  return pool;
}

/** From which account to which money moves. */
const accountsOf = {
  top_up: ['funding', 'available'],
  correction: ['funding', 'available'],
  hold: ['available', 'held'],
  overage: ['available', 'held'],
  settle: ['held', 'revenue'],
  remainder: ['held', 'available'],
  release: ['held', 'available'],
  write_off: ['write_offs', 'revenue'],
} as const;

type Entry = {
  kind: keyof typeof accountsOf;
  sequence: number;
  amount: string;
  after: readonly [available: string, held: string];
  executionId: string | null;
};

const entry = (
  kind: Entry['kind'],
  sequence: number,
  amount: string,
  after: Entry['after'],
  executionId: string | null = null,
): Entry => ({ kind, sequence, amount, after, executionId });

const holdOf = (executionId: string) => entry('hold', 2, '1', ['9', '1'], executionId);

/** Adds these to the journal in one statement. */
async function add(role: Role | 'owner', ...entries: Entry[]): Promise<void> {
  const column = (of: (entry: Entry) => unknown) => entries.map(of);
  await (role === 'owner' ? db.pool : as(role)).query(
    `INSERT INTO transfers (organization_id, sequence, kind, debit_account, credit_account, amount, available_after,
       held_after, execution_id)
     SELECT $1, * FROM unnest($2::bigint[], $3::text[], $4::text[], $5::text[], $6::numeric[], $7::numeric[],
       $8::numeric[], $9::text[])`,
    [
      organizationId,
      column(({ sequence }) => sequence),
      column(({ kind }) => kind),
      column(({ kind }) => accountsOf[kind][0]),
      column(({ kind }) => accountsOf[kind][1]),
      column(({ amount }) => amount),
      column(({ after }) => after[0]),
      column(({ after }) => after[1]),
      column(({ executionId }) => executionId),
    ],
  );
}

const balance = () => getBalance(db, organizationId);
const untouched = { available: '10.00000000', held: '0.00000000' };
const notFollowing = 'transfers that do not follow from the balance are refused';

describe('the journal', () => {
  it('moves the balance by the amount of each transfer', async () => {
    const executionId = newId('exec');
    await add('owner', holdOf(executionId));
    expect(await balance()).toEqual({ available: '9.00000000', held: '1.00000000' });
    await add(
      'owner',
      entry('settle', 3, '0.4', ['9', '0.6'], executionId),
      entry('remainder', 4, '0.6', ['9.6', '0'], executionId),
    );
    expect(await balance()).toEqual({ available: '9.60000000', held: '0.00000000' });
    // There is no execution of it, and so no cost.
    const broken = (await auditLedger(db)).filter(({ id }) => id === organizationId);
    expect(broken.map(({ invariant }) => invariant)).toEqual([
      'an organization was charged the costs of its executions',
    ]);
  });

  it.each<[string, Partial<Entry>]>([
    ['leaves out a number', { sequence: 3 }],
    ['takes a number again', { sequence: 1 }],
    ['leaves more than there was', { after: ['10', '1'] }],
    ['leaves less', { after: ['8', '1'] }],
    ['moves more than it says', { amount: '2' }],
  ])('refuses what %s', async (_what, wrong) => {
    await expect(add('owner', { ...holdOf(newId('exec')), ...wrong })).rejects.toThrow(notFollowing);
    expect(await balance()).toEqual(untouched);
  });

  it('refuses a whole statement when one row does not follow from the previous one', async () => {
    const second = entry('hold', 3, '1', ['7', '2'], newId('exec'));
    await expect(add('owner', holdOf(newId('exec')), second)).rejects.toThrow(notFollowing);
    expect(await balance()).toEqual(untouched);
  });

  it.each<[string, Partial<Entry>]>([
    ['less than the hold', { amount: '0.5', after: ['9.5', '0.5'] }],
    ['a hold that is not there', { executionId: newId('exec') }],
  ])('refuses to release %s', async (_what, wrong) => {
    const executionId = newId('exec');
    await add('owner', holdOf(executionId));
    const release = entry('release', 3, '1', ['10', '0'], executionId);
    await expect(add('owner', { ...release, ...wrong })).rejects.toThrow('does not add up to it');
    await add('owner', release);
    await expect(add('owner', { ...release, sequence: 4, after: ['11', '-1'] })).rejects.toThrow();
    expect(await balance()).toEqual(untouched);
  });

  it('refuses a second hold of an execution', async () => {
    const executionId = newId('exec');
    await add('owner', holdOf(executionId));
    const second = entry('hold', 3, '1', ['8', '2'], executionId);
    await expect(add('owner', second)).rejects.toThrow('duplicate key');
  });

  it.each(['UPDATE transfers SET amount = 1', 'DELETE FROM transfers', 'TRUNCATE transfers'])(
    'refuses its owner, too: %s',
    async (statement) => {
      await expect(db.pool.query(statement)).rejects.toThrow('append-only');
    },
  );
});

describe('the overage policy', () => {
  const beyond = 'is not what the overage policy allows';
  /** A hold of 1 that is settled to `charged`, as any version of the ledger would write it. */
  async function settle(charged: string, after: string, ...rest: Entry[]): Promise<void> {
    const executionId = newId('exec');
    await add('owner', holdOf(executionId));
    const overage = entry('overage', 3, String(Number(charged) - 1), [after, charged], executionId);
    const settled = entry('settle', 4, charged, [after, '0'], executionId);
    await add('holdfast_ledger', overage, settled, ...rest.map((one) => ({ ...one, executionId })));
  }
  const writeOff = entry('write_off', 5, '3', ['0', '0']);

  it('`charge` writes nothing off', async () => {
    await updateOrganization(db, organizationId, { overage: 'charge', spendLimitOverage: 'charge' });
    await expect(settle('10', '0', writeOff)).rejects.toThrow(beyond);
    expect(await balance()).toEqual({ available: '9.00000000', held: '1.00000000' });
  });

  it('`charge` takes the balance below zero', async () => {
    await settle('12', '-2');
    expect(await balance()).toEqual({ available: '-2.00000000', held: '0.00000000' });
  });

  it('`cap` is enforced by the database against a ledger that charges in full', async () => {
    await updateOrganization(db, organizationId, { overage: 'cap' });
    await expect(settle('12', '-2')).rejects.toThrow(beyond);
    expect(await balance()).toEqual({ available: '9.00000000', held: '1.00000000' });
  });

  it('`cap` refuses to write the rest off twice', async () => {
    await updateOrganization(db, organizationId, { overage: 'cap' });
    await expect(settle('10', '0', writeOff, { ...writeOff, sequence: 6 })).rejects.toThrow('duplicate key');
  });

  it('`cap` lets the rest be written off', async () => {
    await updateOrganization(db, organizationId, { overage: 'cap' });
    await settle('10', '0', writeOff);
    expect(await balance()).toEqual({ available: '0.00000000', held: '0.00000000' });
  });

  it('`cap` writes off nothing that the hold covers', async () => {
    await updateOrganization(db, organizationId, { overage: 'cap' });
    const executionId = newId('exec');
    await add('owner', holdOf(executionId));
    const settled = entry('settle', 3, '0.4', ['9', '0.6'], executionId);
    const remainder = entry('remainder', 4, '0.6', ['9.6', '0'], executionId);
    const rest: Entry = { ...writeOff, after: ['9.6', '0'], executionId };
    await expect(add('holdfast_ledger', settled, remainder, rest)).rejects.toThrow(beyond);
    await add('holdfast_ledger', settled, remainder);
  });

  it('`cap` at spend limits is enforced by the database against a ledger that charges in full', async () => {
    const id = await insertTestExecution(db, { organizationId, holdAmount: '1' });
    await setSpendLimit(db, { organizationId, apiKeyId: null, amount: '1.5' });
    const overage = entry('overage', 3, '1', ['8', '2'], id);
    const settled = entry('settle', 4, '2', ['8', '0'], id);
    await db.pool.query('UPDATE spend_limits SET spent = 2 WHERE scope_id = $1', [organizationId]);
    await expect(add('holdfast_ledger', overage, settled)).rejects.toThrow(beyond);
    await updateOrganization(db, organizationId, { spendLimitOverage: 'charge' });
    await add('holdfast_ledger', overage, settled);
  });
});

describe('the right to move money', () => {
  const topUp = entry('top_up', 2, '5', ['15', '0']);

  it('the gateway holds and releases, and can write neither a top-up nor a charge', async () => {
    const executionId = newId('exec');
    const refused = 'row-level security';
    await expect(add('holdfast_gateway', topUp)).rejects.toThrow(refused);
    await expect(add('holdfast_gateway', { ...topUp, kind: 'correction' })).rejects.toThrow(refused);
    await add('holdfast_gateway', holdOf(executionId));
    const settle = entry('settle', 3, '1', ['9', '0'], executionId);
    await expect(add('holdfast_gateway', settle)).rejects.toThrow(refused);
    const writeOff = entry('write_off', 3, '1', ['9', '1'], executionId);
    await expect(add('holdfast_gateway', writeOff)).rejects.toThrow(refused);
    await add('holdfast_gateway', entry('release', 3, '1', ['10', '0'], executionId));
    expect(await balance()).toEqual(untouched);
  });

  it('the gateway holds no more than is available', async () => {
    const tooMuch = entry('hold', 2, '11', ['-1', '11'], newId('exec'));
    await expect(add('holdfast_gateway', tooMuch)).rejects.toThrow('transfers_covered');
    expect(await balance()).toEqual(untouched);
  });

  // After which the balance would cover everything, for NaN is more than any number.
  it('the gateway cannot place an invalid hold in the same statement as a valid one', async () => {
    const nothing = entry('hold', 3, 'NaN', ['NaN', 'NaN'], newId('exec'));
    await expect(add('holdfast_gateway', holdOf(newId('exec')), nothing)).rejects.toThrow('transfers_number');
    expect(await balance()).toEqual(untouched);
  });

  it('the ledger tops up and settles', async () => {
    await add('holdfast_ledger', topUp);
    expect(await balance()).toEqual({ available: '15.00000000', held: '0.00000000' });
  });

  it.each<Role>(['holdfast_dispatcher', 'holdfast_webhook_sender'])('%s moves nothing', async (role) => {
    await expect(add(role, holdOf(newId('exec')))).rejects.toThrow('permission denied');
  });

  it.each<Role>(['holdfast_gateway', 'holdfast_ledger'])('%s cannot set a balance', async (role) => {
    for (const statement of [
      'UPDATE balances SET available = 1000',
      'UPDATE balances SET held = 0',
      'UPDATE balances SET sequence = 0',
      "INSERT INTO balances (organization_id, available) VALUES ('org_new', 1000)",
      'DELETE FROM balances',
      'ALTER TABLE transfers DISABLE TRIGGER ALL',
      'ALTER TABLE transfers DISABLE ROW LEVEL SECURITY',
      'UPDATE transfers_funding SET amount = 1',
      'SELECT post_transfers()',
    ]) {
      await expect(as(role).query(statement)).rejects.toThrow(
        /permission denied|must be owner|can only be called as/,
      );
    }
  });
});
