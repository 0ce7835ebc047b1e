import { createTestOrganization } from '@holdfast/testkit/testData';
import { openTestRoles } from '@holdfast/testkit/testDatabase';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { auditLedger } from './audit/audit.ts';
import { type AdjustmentRequest, adjustBalance, getBalance } from './balances.ts';
import { timeFromNow } from './statement.ts';

const { owner, ledger, gateway, close } = await openTestRoles();
let organizationId: string;

afterAll(async () => {
  expect(await auditLedger(owner)).toEqual([]);
  await close();
});

beforeEach(async () => {
  organizationId = await createTestOrganization(owner, '5');
});

const adjust = (change: Partial<AdjustmentRequest>, db = ledger) =>
  adjustBalance(db, {
    organizationId,
    kind: 'top_up',
    amount: '1',
    reason: null,
    idempotencyKey: null,
    ...change,
  });
const available = async () => (await getBalance(owner, organizationId))?.available;

describe('an adjustment', () => {
  it('is one transfer per idempotency key, for concurrent requests and for a job that runs twice', async () => {
    const twins = await Promise.all(Array.from({ length: 20 }, () => adjust({ idempotencyKey: 'k' })));
    const again = await adjust({ idempotencyKey: 'k', kind: 'correction', amount: '-2' });
    expect(twins.filter((one) => one.outcome === 'added' && !one.isReplay)).toHaveLength(1);
    expect(again).toMatchObject({ isReplay: true });
    for (const result of [...twins, again]) {
      expect(result).toEqual({
        outcome: 'added',
        isReplay: expect.any(Boolean),
        transfer: {
          kind: 'top_up',
          amount: '1.00000000',
          availableAfter: '6.00000000',
          reason: null,
          createdAt: expect.any(Date),
          sequence: '2',
        },
      });
    }
    expect(await available()).toBe('6.00000000');
  });

  it('with a key belongs to the organization of the key', async () => {
    await adjust({ idempotencyKey: 'k' });
    const other = await createTestOrganization(owner, '1');
    expect(await adjust({ organizationId: other, idempotencyKey: 'k' })).toMatchObject({
      outcome: 'added',
      transfer: { availableAfter: '2.00000000' },
    });
  });

  it('takes no more than is available, however many run at once', async () => {
    const results = await Promise.all(
      Array.from({ length: 10 }, () => adjust({ kind: 'correction', amount: '-2', reason: 'twice billed' })),
    );
    expect(results.filter(({ outcome }) => outcome === 'added')).toHaveLength(2);
    expect(results.filter(({ outcome }) => outcome === 'insufficient')).toHaveLength(8);
    expect(await available()).toBe('1.00000000');
  });

  it('is not made after its deadline, unless it was made before', async () => {
    const past = await timeFromNow(ledger, -1);
    expect(await adjust({ idempotencyKey: 'k', until: past })).toEqual({ outcome: 'too late' });
    expect(await available()).toBe('5.00000000');
    const soon = await timeFromNow(ledger, 60_000);
    const made = await adjust({ idempotencyKey: 'k', until: soon });
    expect(await adjust({ idempotencyKey: 'k', until: past })).toEqual({ ...made, isReplay: true });
  });

  it('of an unknown organization changes nothing', async () => {
    expect(await adjust({ organizationId: 'org_none' })).toEqual({ outcome: 'no organization' });
  });

  it.each([
    { kind: 'top_up', amount: '1' },
    { kind: 'correction', amount: '1' },
    { kind: 'correction', amount: '-1' },
  ] as const)('%j cannot be made by the gateway itself', async (change) => {
    await expect(adjust(change, gateway)).rejects.toThrow('row-level security');
    expect(await available()).toBe('5.00000000');
  });
});
