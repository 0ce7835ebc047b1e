import type { Invariant } from '@holdfast/db/audit/audit';
import type { SeededLedger } from './seededLedger.ts';

type Damage = {
  what: string;
  /** What no code of ours could do; the triggers of the journal are off meanwhile. */
  sql(seeded: SeededLedger): string;
  /** The row that has to be named. */
  names(seeded: SeededLedger): string;
};

const damage = (what: string, names: string, sql: string | Damage['sql']): Damage => ({
  what,
  names: (seeded) => (names in seeded ? seeded[names as keyof SeededLedger] : names),
  sql: typeof sql === 'string' ? () => sql : sql,
});

/** A constraint in the way of the damage, as a row that was there before it. */
const without = (table: string, constraint: string, sql: string) =>
  `ALTER TABLE ${table} DROP CONSTRAINT ${constraint}; ${sql}`;
const uncovered = (sql: string) => without('transfers', 'transfers_covered', sql);
const uncosted = (sql: string) => without('executions', 'executions_charged', sql);

/** The transfer of this number is changed, is gone, or is there twice. */
const change = (sequence: number, fields: string) =>
  `UPDATE transfers SET ${fields} WHERE sequence = ${sequence}`;
const refunded = (fields: string) => `UPDATE transfers SET ${fields} WHERE idempotency_key = 'refund'`;
const gone = (sequence: number) => `DELETE FROM transfers WHERE sequence = ${sequence}`;
const twice = (sequence: number) =>
  `DROP INDEX transfers_once; INSERT INTO transfers SELECT * FROM transfers WHERE sequence = ${sequence}`;

const counted = (fields: string) => `UPDATE batches SET ${fields} WHERE reserved > 0`;

const todaySql = `SELECT sum_usage_days(ARRAY (SELECT id FROM organizations), '-infinity', 'infinity')`;

/** For each invariant what breaks it: total, so that none is without. */
export const damages: Record<Invariant, readonly [Damage, ...Damage[]]> = {
  'every organization has its balance': [
    damage('a balance is gone', 'organization', 'DELETE FROM balances'),
    damage(
      'a balance belongs to no organization',
      'org_nobody',
      `INSERT INTO balances (organization_id) VALUES ('org_nobody')`,
    ),
  ],
  'each balance is the sum of its transfers': [
    damage('more is available', 'organization', 'UPDATE balances SET available = available + 0.00000001'),
    damage('more is held', 'organization', 'UPDATE balances SET held = held + 1'),
    damage('a top-up is gone', 'organization', gone(2)),
    damage('a balance is gone', 'organization', 'DELETE FROM balances'),
  ],
  'each balance is what its last transfer left': [
    damage('less is available', 'organization', 'UPDATE balances SET available = available - 1'),
    damage('the last transfer says more', 'organization', change(16, 'held_after = 5')),
  ],
  'the journal is numbered without gaps': [
    damage('the first is gone', 'organization', gone(1)),
    damage('one in the middle is gone', 'organization', gone(6)),
    damage('the last is gone', 'organization', gone(16)),
    damage('the balance counts one more', 'organization', 'UPDATE balances SET sequence = sequence + 1'),
  ],
  'each transfer goes on from the one before': [
    damage('a number is there twice', 'organization', change(3, 'sequence = 2')),
    damage(
      'one says that more is available',
      'organization',
      change(5, 'available_after = available_after + 1'),
    ),
    damage(
      'one says that what is available is held',
      'organization',
      change(7, 'available_after = available_after - 1, held_after = held_after + 1'),
    ),
  ],
  'a transfer moves between the accounts of its kind': [
    damage(
      'a release goes to the platform',
      'organization',
      without('transfers', 'transfers_kind', change(6, `credit_account = 'revenue'`)),
    ),
    damage(
      'a hold is of less than nothing',
      'organization',
      without('transfers', 'transfers_amount', change(5, 'amount = -amount')),
    ),
    damage(
      'a release is of no execution',
      'organization',
      without('transfers', 'transfers_execution', change(6, 'execution_id = NULL')),
    ),
  ],
  'only a settlement takes more than is available': [
    damage('a hold overdraws', 'organization', uncovered(change(4, 'available_after = -0.00000001'))),
    damage('a correction overdraws', 'organization', uncovered(change(3, 'available_after = -1'))),
    damage('less than nothing is held', 'organization', uncovered(change(6, 'held_after = -1'))),
  ],
  'all accounts add up to zero': [
    damage('a balance grew by itself', 'all organizations', 'UPDATE balances SET available = available + 1'),
    damage('a top-up is gone', 'all organizations', gone(1)),
    damage('a charge is gone', 'all organizations', gone(8)),
    damage(
      'a write-off is of no account',
      'all organizations',
      without('transfers', 'transfers_kind', change(16, `credit_account = 'elsewhere'`)),
    ),
  ],
  'what resolves a hold adds up to it': [
    damage('too little comes back', 'cheaper', change(9, 'amount = 0.3')),
    damage('the overage is gone', 'dearer', gone(11)),
    damage('a charge is without a hold', 'cheaper', gone(7)),
    damage('the rest came back, nothing was charged', 'cheaper', gone(8)),
    damage('a hold is released twice', 'cancelled', twice(6)),
  ],
  'held is the sum of open holds': [
    damage('more is held', 'organization', 'UPDATE balances SET held = held + 1'),
    damage('a balance is gone', 'organization', 'DELETE FROM balances'),
    damage(
      'the execution says more',
      'organization',
      `UPDATE executions SET hold_amount = 0.7 WHERE status = 'PENDING'`,
    ),
  ],
  'an execution has exactly one hold': [
    damage('a hold is gone', 'open', gone(4)),
    damage('a hold is of less', 'open', change(4, 'amount = 0.5')),
    damage('a hold is there twice', 'open', `${twice(4)} AND kind = 'hold'`),
  ],
  'what was charged has exactly one settlement, of its cost': [
    damage('a charge is gone', 'cheaper', gone(8)),
    damage('the cost is less', 'dearer', 'UPDATE executions SET cost = 0.8 WHERE cost = 0.9'),
    damage(
      'a cancelled one became COMPLETED',
      'cancelled',
      `UPDATE executions SET status = 'COMPLETED', cost = 0.6 WHERE status = 'CANCELLED'`,
    ),
    damage('a charge is there twice', 'cheaper', twice(8)),
  ],
  'a write-off is what COMPLETED cost beyond its charge': [
    damage('a write-off is gone', 'capped', gone(16)),
    damage('a write-off is of less', 'capped', change(16, 'amount = 0.2')),
    damage(
      'an execution forgets its write-off',
      'capped',
      'UPDATE executions SET written_off = NULL WHERE written_off IS NOT NULL',
    ),
    damage(
      'more was written off than was lacking',
      'capped',
      'UPDATE transfers SET amount = 0.4 WHERE sequence = 16; UPDATE executions SET written_off = 0.4 WHERE cost = 0.7',
    ),
    damage(
      'what the hold covers was written off',
      'capped',
      'UPDATE executions SET cost = 0.5, written_off = 0.5 WHERE cost = 0.7; UPDATE transfers SET amount = 0.5 WHERE sequence = 16',
    ),
    damage('a write-off is there twice', 'capped', twice(16)),
    damage(
      'a write-off is of a cancelled one',
      'cancelled',
      ({ cancelled }) => `UPDATE transfers SET execution_id = '${cancelled}' WHERE sequence = 16`,
    ),
  ],
  'a review is of COMPLETED, of a cost far above the hold that was charged': [
    damage(
      'a cancelled one is in review',
      'cancelled',
      ({
        organization,
        cancelled,
      }) => `INSERT INTO reviews (execution_id, organization_id, hold, reported_cost)
        VALUES ('${cancelled}', '${organization}', 0.6, 100)`,
    ),
    damage(
      'one that was charged more is in review',
      'dearer',
      ({ organization, dearer }) => `INSERT INTO reviews (execution_id, organization_id, hold, reported_cost)
        VALUES ('${dearer}', '${organization}', 0.6, 100)`,
    ),
  ],
  'an accepted review was charged by a correction of its own': [
    damage('a correction is gone', 'accepted', `DELETE FROM transfers WHERE idempotency_key = 'accept'`),
    damage(
      'a correction is of less',
      'accepted',
      `UPDATE transfers SET amount = 4 WHERE idempotency_key = 'accept'`,
    ),
    damage('another transfer is named as the correction', 'accepted', 'UPDATE reviews SET correction = 1'),
    damage(
      'two reviews name the same correction',
      'accepted',
      `INSERT INTO reviews SELECT r.* FROM reviews o CROSS JOIN LATERAL
        jsonb_populate_record(o, '{"execution_id": "exec_other"}') r`,
    ),
  ],
  'refunds return at most the charge of an execution of the organization': [
    damage('more than the charge is returned', 'accepted', refunded('amount = 5.7')),
    damage('the charge of another organization is returned', 'dearer', ({ dearer }) =>
      refunded(`refund_of = '${dearer}'`),
    ),
  ],
  'a cost above the hold was charged, written off or is in review': [
    damage(
      'one was charged its hold, and no review has the rest',
      'capped',
      'UPDATE executions SET cost = hold_amount, written_off = NULL WHERE cost = 0.7',
    ),
  ],
  'FAILED, EXPIRED and a free CANCELLED have one release and no charge': [
    damage('a release is gone', 'cancelled', gone(6)),
    damage('a release is of less', 'cancelled', change(6, 'amount = 0.5')),
    damage(
      'a cancelled one was charged',
      'cancelled',
      change(6, `kind = 'settle', credit_account = 'revenue'`),
    ),
  ],
  'an open execution has no resolution': [
    damage(
      'an ended one is open again',
      'cancelled',
      `UPDATE executions SET status = 'PENDING', completed_at = NULL WHERE status = 'CANCELLED'`,
    ),
  ],
  'COMPLETED has its cost and the others none, but a cancelled stream that charges what was shown': [
    damage('a cost is gone', 'dearer', uncosted('UPDATE executions SET cost = NULL WHERE cost = 0.9')),
    damage(
      'a cancelled one has a cost',
      'cancelled',
      uncosted(`UPDATE executions SET cost = 0 WHERE status = 'CANCELLED'`),
    ),
  ],
  'an ended stream is closed, and has as many events as were written': [
    damage(
      'a stream is not there',
      'cancelled',
      `UPDATE executions SET on_cancel = 'release' WHERE status = 'CANCELLED'`,
    ),
    damage(
      'an event is gone',
      'cancelled',
      `UPDATE executions SET on_cancel = 'release' WHERE status = 'CANCELLED';
        INSERT INTO streams (execution_id, events, closed_at)
          SELECT id, 1, completed_at FROM executions WHERE status = 'CANCELLED'`,
    ),
  ],
  'an organization was charged the costs of its executions': [
    damage('a charge is of more', 'organization', change(12, 'amount = 1')),
    damage('an execution is gone', 'organization', 'DELETE FROM executions WHERE cost = 0.9'),
    damage('all charges are gone', 'organization', `DELETE FROM transfers WHERE kind = 'settle'`),
  ],
  'a transfer is of an execution of its organization': [
    damage('an execution is gone', 'cancelled', `DELETE FROM executions WHERE status = 'CANCELLED'`),
    damage(
      'an execution is another’s',
      'dearer',
      `UPDATE executions SET organization_id = 'org_other' WHERE cost = 0.9`,
    ),
  ],
  'an idempotency key is of an execution of its organization': [
    damage('an execution is gone', 'cancelled', `DELETE FROM executions WHERE status = 'CANCELLED'`),
    damage('a key is another’s', 'open', ({ open }) => {
      return `UPDATE idempotency_keys SET organization_id = 'org_other' WHERE execution_id = '${open}'`;
    }),
  ],
  'an ending has exactly one event': [
    damage(
      'an event is gone',
      'cancelled',
      ({ cancelled }) => `DELETE FROM events WHERE execution_id = '${cancelled}'`,
    ),
    damage(
      'an event reports another ending',
      'cancelled',
      `UPDATE events SET type = 'execution.failed' WHERE type = 'execution.cancelled'`,
    ),
    damage('an open one has an event', 'open', ({ organization, open }) => {
      const id = `event_id('${open}', 'execution.expired')`;
      return `INSERT INTO events (id, organization_id, execution_id, type)
        VALUES (${id}, '${organization}', '${open}', 'execution.expired')`;
    }),
    damage(
      'an event is there twice',
      'cancelled',
      without(
        'events',
        'events_subject',
        `INSERT INTO events (id, organization_id, execution_id, type)
         SELECT id || '0', organization_id, execution_id, type FROM events WHERE type = 'execution.cancelled'`,
      ),
    ),
  ],
  'a spend limit counts what was spent in its month': [
    damage('an organization’s counts nothing', 'organization', 'UPDATE spend_limits SET spent = 0'),
    damage(
      'a key’s counts more',
      'key',
      `UPDATE spend_limits SET spent = spent + 0.1 WHERE scope_id = 'key'`,
    ),
  ],
  'the usage of an hour is that of the executions completed in it': [
    damage('an hour is gone', 'organization', 'DELETE FROM usage_hours'),
    damage('one fewer was counted', 'organization', 'UPDATE usage_hours SET executions = executions - 1'),
    damage('more was counted', 'organization', 'UPDATE usage_hours SET cost = cost + 1'),
  ],
  'the usage of a day is the sum of its hours': [
    damage('a day has no hours', 'organization', `${todaySql}; DELETE FROM usage_hours`),
    damage('less was added', 'organization', `${todaySql}; UPDATE usage_days SET cost = cost - 1`),
    damage('a model is missing', 'organization', `${todaySql}; UPDATE usage_days SET model = 'm2'`),
  ],
  'an erased execution has ended, and nothing of it is left': [
    damage(
      'an output is there yet',
      'cheaper',
      `UPDATE executions SET output = '{}' WHERE erased_at IS NOT NULL`,
    ),
    damage(
      'an input is there yet',
      'cheaper',
      `UPDATE executions SET input = '{"prompt":"hi"}' WHERE erased_at IS NOT NULL`,
    ),
    damage(
      'an open one is erased',
      'open',
      without(
        'executions',
        'executions_erased',
        `UPDATE executions SET erased_at = now() WHERE status = 'PENDING'`,
      ),
    ),
  ],
  'a batch counts its items by their status': [
    damage(
      'one was completed that waits',
      'batch',
      counted('waiting = waiting - 1, completed = completed + 1'),
    ),
    damage('an item is gone', 'batch', `DELETE FROM batch_items WHERE status = 'waiting'`),
  ],
  'a batch holds and costs what its executions do': [
    damage('more is held', 'batch', counted('held = held + 1')),
    damage('it cost something', 'batch', counted('cost = cost + 1')),
  ],
  'an item has the status of its last execution': [
    damage(
      'one that runs has failed',
      'batch',
      `UPDATE batch_items SET status = 'failed', number = 1 WHERE status = 'running'`,
    ),
  ],
  'an open execution of a batch runs an item': [
    damage('its item is gone', 'ofBatch', `DELETE FROM batch_items WHERE status = 'running'`),
    damage(
      'another one runs it',
      'ofBatch',
      `UPDATE batch_items SET execution_id = 'exec_other' WHERE status = 'running'`,
    ),
  ],
  'a batch has reserved what its transfers leave': [
    damage('it has more', 'batch', counted('reserved = reserved + 1')),
    damage('it is gone', 'batch', 'DELETE FROM batches WHERE reserved > 0'),
  ],
  'the last event of a batch that has ended is its end': [
    damage('it has none', 'endedBatch', 'DELETE FROM events WHERE batch_id IS NOT NULL'),
  ],
  'the journal cannot be changed': [
    damage(
      'balances do not follow',
      'transfers, transfers_post',
      'ALTER TABLE transfers ENABLE TRIGGER USER; ALTER TABLE transfers DISABLE TRIGGER transfers_post',
    ),
    damage(
      'a month can be changed',
      'transfers_funding, transfers_append_only',
      'ALTER TABLE transfers_funding DISABLE TRIGGER transfers_append_only',
    ),
    damage(
      'it can be emptied',
      'transfers, transfers_no_truncate',
      'DROP TRIGGER transfers_no_truncate ON transfers',
    ),
    damage('a hold can be resolved twice', 'transfers, transfers_once', 'DROP INDEX transfers_once'),
    damage(
      'a hold can be of what is not there',
      'transfers, transfers_covered',
      'ALTER TABLE transfers DROP CONSTRAINT transfers_covered',
    ),
    damage(
      'every role may add every row',
      'transfers, row level security',
      'ALTER TABLE transfers DISABLE ROW LEVEL SECURITY',
    ),
  ],
};
