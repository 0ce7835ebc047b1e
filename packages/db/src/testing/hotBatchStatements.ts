import { newId } from '@holdfast/domain/ids';
import { admitItems } from '../batches/admit.ts';
import { findBatchByKey, getBatch, insertBatch, listBatches } from '../batches/batches.ts';
import { batchesToErase, eraseBatch, eraseNextItems, recordErased } from '../batches/erase.ts';
import { claimFileIntake, findRecentBatch, refuseFile, renewFileIntake } from '../batches/fileIntake.ts';
import { readFileLines } from '../batches/fileLines.ts';
import { insertItems, listItems } from '../batches/items.ts';
import { retryItems } from '../batches/retry.ts';
import { searchBatches } from '../batches/search.ts';
import {
  closeItems,
  type DueBatch,
  dueBatches,
  endBatch,
  finishBatch,
  hasInteractive,
  pauseBatch,
  resumeBatch,
  resumeCovered,
  sealBatch,
} from '../batches/turns.ts';
import { cancelOfBatch } from '../executions/endings.ts';
import { refundableOf } from '../refunds.ts';
import type { HotStatement, RunStatement } from './hotStatements.ts';
import type { BatchKind, Workload } from './workload.ts';

const batchOf = ({ organizationId, batches }: Workload, kind: BatchKind) => ({
  id: batches[kind],
  organizationId,
  apiKeyId: 'key_0',
  webhookUrl: null,
});
const asked = { organizationId: 'org_workload', apiKeyId: 'key_0', requestHash: 'hash' };
const requestedItems = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    customId: at % 2 ? `item-${at}` : `new-${at}`,
    position: BigInt(at),
    hash: '00000000-0000-0000-0000-000000000000',
    model: 'm',
    inputJson: '{}',
    metadataJson: null,
    timeoutS: 600,
    estimatedCost: '0.5',
    hold: '0.6',
    modelVersion: null,
    error: null,
  }));

type Runs = Record<string, RunStatement>;

/** Every statement that a service runs for batches and refunds. */
export const batchStatements: Record<
  'holdfast_gateway' | 'holdfast_ledger',
  Record<HotStatement['kind'], Runs>
> = {
  holdfast_gateway: {
    one: {
      insertBatch: (db) =>
        insertBatch(db, {
          ...asked,
          id: newId('bat'),
          model: 'm',
          defaults: null,
          metadata: null,
          webhookUrl: null,
          maxCost: null,
          onInsufficientBalance: 'pause',
          windowS: 86_400,
          events: 'none',
          reserve: false,
          idempotencyKey: 'new',
        }),
      findBatchByKey: (db, { organizationId }) => findBatchByKey(db, organizationId, 'new'),
      getBatch: (db, { organizationId, batches }) => getBatch(db, organizationId, batches.running),
      sealBatch: (db, { organizationId, batches }) => sealBatch(db, organizationId, batches.open),
      resumeBatch: (db, { organizationId, batches }) => resumeBatch(db, organizationId, batches.paused),
      pauseBatch: (db, work) => pauseBatch(db, batchOf(work, 'running'), 'requested'),
      eraseBatch: (db, { organizationId, batches }) => eraseBatch(db, organizationId, batches.erased),
      claimFileIntake: (db) => claimFileIntake(db),
      renewFileIntake: (db, { batches }) => renewFileIntake(db, batches.intake),
      refuseFile: (db, { batches }) => refuseFile(db, batches.intake, []),
      recordErased: (db, { batches }) => recordErased(db, batches.erased, 'item-9'),
    },
    batch: {
      insertItems: (db, { batches, keys }) => insertItems(db, batches.open, requestedItems(keys.length)),
      listItems: (db, { batches, keys }) =>
        listItems(db, batches.running, { status: null, after: 'item-40', limit: keys.length }),
      listWaitingItems: (db, { batches, keys }) =>
        listItems(db, batches.running, { status: 'waiting', after: 'item-40', limit: keys.length }),
      listFailedItems: (db, { batches, keys }) =>
        listItems(db, batches.running, { status: 'failed', after: null, limit: keys.length }),
      listBatches: (db, { organizationId, keys }) =>
        listBatches(db, organizationId, {
          statuses: null,
          apiKeyId: null,
          cursor: null,
          limit: keys.length,
        }),
      searchBatches: (db, { keys }) => searchBatches(db, {}, keys.length, 4 * keys.length),
      searchUnendedBatches: (db, { keys }) =>
        searchBatches(db, { statuses: ['paused'] }, keys.length, 4 * keys.length),
      searchBatchesOfOrganization: (db, { organizationId, keys }) =>
        searchBatches(db, { organizationId, statuses: ['paused'] }, keys.length, 4 * keys.length),
      findRecentBatch: (db) => findRecentBatch(db, asked, 3600),
      eraseNextItems: (db, { batches, keys }) => eraseNextItems(db, batches.erased, keys.length),
    },
    sweep: {
      async retryItems(db, { organizationId, batches }) {
        const filter = { statuses: ['failed' as const], customIds: null, errorCodes: null };
        const retried = await retryItems(db, { id: batches.running, organizationId }, filter);
        return Array.from({ length: retried ?? 0 });
      },
      readOutputFile: (db, { batches }) => readFileLines(db, { id: batches.running }, 'output', '0'),
      readErrorFile: (db, { batches }) => readFileLines(db, { id: batches.running }, 'error', '0'),
      batchesToErase,
    },
  },
  holdfast_ledger: {
    one: {
      hasInteractive: (db) => hasInteractive(db),
      resumeCovered: (db, work) => resumeCovered(db, batchOf(work, 'paused') as DueBatch),
      finishBatch: (db, work) => finishBatch(db, batchOf(work, 'running'), 'cancelled'),
      endBatch: (db, work) => endBatch(db, batchOf(work, 'finishing')),
      refundableOf: (db, { executions }) => refundableOf(db, executions.completed[0] ?? ''),
    },
    batch: {
      admitItems: (db, work) =>
        admitItems(
          db,
          batchOf(work, 'running'),
          work.keys.map(() => newId('exec')),
          1_000_000,
        ),
      closeItems: (db, { batches, keys }) => closeItems(db, batches.finishing, keys.length),
      cancelOfBatch: (db, { batches, keys }) => cancelOfBatch(db, batches.running, keys.length),
    },
    sweep: { dueBatches: (db) => dueBatches(db, '', 1_000_000) },
  },
};
