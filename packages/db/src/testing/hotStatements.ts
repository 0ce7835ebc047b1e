import { newId } from '@holdfast/domain/ids';
import { findApiKeys } from '../apiKeys.ts';
import {
  attemptsToStop,
  claimAbandoned,
  claimByToken,
  claimPoll,
  claimWaiting,
  countTries,
  extendLeases,
  markStopped,
  pollNow,
  reclaimLeases,
  refusedAt,
  releaseLeases,
} from '../attempts/lease.ts';
import {
  endedAttempts,
  recordBusyRefusals,
  recordOutcomes,
  recordProgress,
  recordRefusals,
  recordRunning,
} from '../attempts/outcomes.ts';
import { getBalance } from '../balances.ts';
import {
  calledBackAttempt,
  markCallbackProcessed,
  pendingCallbacks,
  readCallback,
  readInboxState,
  storeCallback,
} from '../callbacks.ts';
import type { Database } from '../client.ts';
import {
  cancelExecution,
  completeWithinHold,
  completeWithOverage,
  expireExecutions,
  failExecutions,
  overdueExecutions,
} from '../executions/endings.ts';
import { findByIdempotencyKey, insertExecutions } from '../executions/insert.ts';
import { getExecution } from '../executions/read.ts';
import { searchExecutions, searchedPerPage } from '../executions/search.ts';
import { startExecutions } from '../executions/start.ts';
import { readWatchedExecutions } from '../executions/watch.ts';
import { findFaceRequest, markConnection, markDelivered, touchFaceRequest } from '../faceRequests.ts';
import {
  dropOutputs,
  dropOutputsOfEnded,
  getFileMeasures,
  getFiles,
  insertOutput,
  keepOutputs,
  listRemovableFiles,
  markFilesDeleted,
  markOutputReady,
} from '../files.ts';
import { lockedAttempts, lockedOrganizations, lockedReceivers, settlementOwners } from '../locks.ts';
import type { Role } from '../roles/rights.ts';
import { getSpendLimits } from '../spendLimits.ts';
import {
  clearStreams,
  readStreamStates,
  readStreams,
  streamAllowance,
  takeStream,
  writeStreamEvents,
} from '../streams.ts';
import {
  abandonedAttempts,
  attemptsToPoll,
  filterOpenRuns,
  openRuns,
  openRunsAt,
  pendingRetries,
  staleCallbacks,
  stalePendingExecutions,
  unsettledAttempts,
} from '../sweeps.ts';
import { markStarted, recordAttempts } from '../webhooks/attempts.ts';
import { fanOutEndpointEvents } from '../webhooks/endpointEvents.ts';
import { fanOutEvents, listUnfannedEvents, readEventsToFanOut, readReceivers } from '../webhooks/fanOut.ts';
import { claimLanes, listDueLanes, releaseClaims } from '../webhooks/lanes.ts';
import { readNewDeliveries } from '../webhooks/newDeliveries.ts';
import { batchStatements } from './hotBatchStatements.ts';
import { faceRoute, type Workload } from './workload.ts';

export type RunStatement = (db: Database, work: Workload) => Promise<unknown>;

export type HotStatement = {
  name: string;
  role: Role;
  /** `one`: of a single item; `batch`: of as many as the workload has; `sweep`: of as many as it returns. */
  kind: 'one' | 'batch' | 'sweep';
  run: RunStatement;
};

const first = (ids: readonly string[]) => ids[0] ?? '';
const next = { connection: 'sandbox', target: 'm', afterMs: 1000 };
const started = (id: string) => ({
  id,
  attempts: 1,
  number: 1,
  leaseUntil: new Date(),
  startedAt: new Date(),
});
const bodyBytes = 8_388_608;
const refusal = { ok: false, code: 'MODEL_OVERLOADED', message: 'busy' } as const;

const streamWriter = (executionId: string) => ({ executionId, attempt: 1, claims: 0 });
const streamWrite = (executionId: string) => ({
  ...streamWriter(executionId),
  eventsBefore: 3,
  events: [{ type: 'output', data: '{"delta":"purr"}' } as const],
  cost: '0.1',
  inputTokens: 1,
  outputTokens: 2,
});
const faceRequest = ({ faceHashes }: Workload) => ({
  apiKeyId: 'key_0',
  route: faceRoute,
  hash: first(faceHashes),
});

/** Every statement that a service runs for each request, execution or delivery, or in a sweep. */
export const hotStatements: HotStatement[] = [
  ...of('one', 'holdfast_gateway', {
    findByIdempotencyKey: (db, { organizationId, keys }) =>
      findByIdempotencyKey(db, organizationId, first(keys)),
    getExecution: (db, { organizationId, executions }) =>
      getExecution(db, organizationId, first(executions.running)),
    getBalance: (db, { organizationId }) => getBalance(db, organizationId),
    cancelExecution: (db, { organizationId, executions }) =>
      cancelExecution(db, organizationId, first(executions.running)),
    readInboxState: (db, { tokens }) =>
      readInboxState(db, { token: first(tokens.running), provider: 'sandbox' }),
    calledBackAttempt: (db, { tokens }) =>
      calledBackAttempt(db, { token: first(tokens.running), provider: 'sandbox' }),
    findFaceRequest: (db, work) => findFaceRequest(db, faceRequest(work), new Date()),
    touchFaceRequest: (db, work) => touchFaceRequest(db, faceRequest(work), first(work.executions.running)),
    markDelivered: (db, work) =>
      markDelivered(db, faceRequest(work), first(work.executions.running), {
        deliveredAt: new Date(),
        closesWithinMs: null,
      }),
    markConnection: (db, work) =>
      markConnection(db, faceRequest(work), first(work.executions.running), new Date()),
    storeCallback: (db, { tokens }) =>
      storeCallback(db, {
        id: newId('cbk'),
        token: first(tokens.running),
        provider: 'sandbox',
        eventKey: 'other',
        headers: {},
        body: Buffer.from('{}'),
      }),
  }),
  ...of('one', 'holdfast_dispatcher', {
    claimAbandoned: (db, { attempts }) => claimAbandoned(db, first(attempts.abandoned), 30),
    claimWaiting: (db, { attempts }) => claimWaiting(db, first(attempts.waiting), next, 30),
    claimPoll: (db, { attempts }) => claimPoll(db, first(attempts.running), 30),
    claimByToken: (db, { tokens }) => claimByToken(db, first(tokens.running), 30),
    attemptsToStop: (db, { executions }) => attemptsToStop(db, first(executions.running)),
    takeStream: (db, { executions }) => takeStream(db, streamWriter(first(executions.running)), 'text'),
    streamAllowance: (db, { executions }) => streamAllowance(db, first(executions.running)),
    countTries: (db, { executions }) => countTries(db, first(executions.running)),
    refusedAt: (db, { executions }) => refusedAt(db, first(executions.running)),
    pollNow: (db, { tokens }) => pollNow(db, first(tokens.running)),
    readCallback: (db, { callbacks }) => readCallback(db, first(callbacks)),
    pendingCallbacks: (db, { attempts }) => pendingCallbacks(db, first(attempts.running)),
    markCallbackProcessed: (db, { callbacks }) => markCallbackProcessed(db, first(callbacks)),
    insertOutput: (db, { organizationId, executions }) =>
      insertOutput(db, {
        id: newId('file'),
        key: newId('file'),
        organizationId,
        executionId: first(executions.running),
        filename: 'cat.png',
        contentType: 'image/png',
      }),
    markOutputReady: (db, { files }) =>
      markOutputReady(db, first(files), { sizeBytes: 1, width: 1, height: 1 }),
    dropOutputsOfEnded: (db, { executions }) => dropOutputsOfEnded(db, first(executions.running)),
  }),
  ...of('one', 'holdfast_webhook_sender', {
    fanOutEndpointEvents: (db) => fanOutEndpointEvents(db),
  }),
  ...of('batch', 'holdfast_gateway', {
    findApiKeys: (db, { hashes }) => findApiKeys(db, hashes),
    insertExecutions: (db, { organizationId, executions }) =>
      insertExecutions(
        db,
        executions.pending.map((_, index) => ({
          id: newId('exec'),
          organizationId,
          apiKeyId: 'key_0',
          idempotencyKey: `new-${index}`,
          requestHash: 'hash',
          model: 'm',
          inputJson: '{"prompt":"a cat on a mat"}',
          metadataJson: null,
          webhookUrl: null,
          holdAmount: '0.60',
          estimatedCost: '0.50',
          timeoutS: 600,
        })),
      ),
    searchExecutions: (db, { organizationId, executions }) =>
      searchExecutions(db, { organizationId }, executions.pending.length, searchedPerPage.client),
    readWatchedExecutions: (db, { executions }) =>
      readWatchedExecutions(
        db,
        executions.running.map((id) => ({ id, logsSeen: 0 })),
      ),
    readStreams: (db, { executions }) =>
      readStreams(
        db,
        executions.running.map((id) => ({ id, after: 1 })),
      ),
    getSpendLimits: (db) => getSpendLimits(db, ['key_0', 'key_20']),
    lockedOrganizations: (db, { organizationId }) => lockedOrganizations(db, [organizationId]),
    getFiles: (db, { organizationId, files }) => getFiles(db, organizationId, files),
    getFileMeasures: (db, { organizationId, files }) => getFileMeasures(db, organizationId, files),
  }),
  ...of('batch', 'holdfast_dispatcher', {
    startExecutions: (db, { executions }) =>
      startExecutions(
        db,
        executions.pending.map((id) => ({ id, connection: 'sandbox', target: 'm' })),
        30,
      ),
    writeStreamEvents: (db, { executions }) => writeStreamEvents(db, executions.running.map(streamWrite)),
    readStreamStates: (db, { executions }) => readStreamStates(db, executions.running),
    recordRunning: (db, { attempts }) =>
      recordRunning(
        db,
        attempts.starting.map((attemptId) => ({
          attemptId,
          handle: { externalId: 'x' },
          awaitsCallback: true,
          pollAfterMs: 1000,
        })),
      ),
    recordOutcomes: (db, { attempts }) =>
      recordOutcomes(
        db,
        attempts.starting.map((attemptId) => ({
          attemptId,
          outcome: {
            ok: true,
            output: { text: 'a purring cat' },
            inputTokens: 1,
            outputTokens: 2,
            cost: '0.2',
          },
          state: 'succeeded',
        })),
      ),
    endedAttempts: (db, { attempts }) => endedAttempts(db, attempts.starting),
    recordRefusals: (db, { attempts }) =>
      recordRefusals(
        db,
        attempts.starting.map((attemptId) => ({
          attemptId,
          claims: 0,
          outcome: refusal,
          rawError: 'busy',
          next,
        })),
      ),
    recordBusyRefusals: (db, { attempts }) =>
      recordBusyRefusals(
        db,
        attempts.starting.map((attemptId) => ({
          attemptId,
          rawError: 'busy',
          next,
          claims: 0,
          mayHaveRun: false,
        })),
      ),
    recordProgress: (db, { attempts, executions }) =>
      recordProgress(
        db,
        attempts.running.map((attemptId, index) => ({
          attemptId,
          executionId: executions.running[index] ?? '',
          progress: 0.5,
          queuePosition: null,
          logs: 'half\n',
          isShown: true,
          logged: 5,
        })),
      ),
    lockedAttempts: (db, { attempts }) => lockedAttempts(db, attempts.starting),
    extendLeases: (db, { attempts }) => extendLeases(db, attempts.starting, 30),
    reclaimLeases: (db, { attempts }) => reclaimLeases(db, attempts.starting, 30),
    releaseLeases: (db, { attempts }) => releaseLeases(db, attempts.starting),
    markStopped: (db, { attempts }) => markStopped(db, attempts.starting),
    keepOutputs: (db, { files }) => keepOutputs(db, files),
    dropOutputs: (db, { files }) => dropOutputs(db, files),
    markFilesDeleted: (db, { files }) => markFilesDeleted(db, files),
    filterOpenRuns: (db, { executions }) => filterOpenRuns(db, executions.running),
  }),
  ...of('batch', 'holdfast_ledger', {
    settlementOwners: (db, { attempts }) => settlementOwners(db, attempts.succeeded),
    completeWithinHold: (db, { attempts }) => completeWithinHold(db, attempts.succeeded),
    completeWithOverage: (db, { attempts }) => completeWithOverage(db, attempts.succeeded),
    failExecutions: (db, { attempts }) => failExecutions(db, attempts.failed),
  }),
  ...of('batch', 'holdfast_webhook_sender', {
    readReceivers: (db, { unfannedEvents }) => readReceivers(db, unfannedEvents),
    readEventsToFanOut: (db, { unfannedEvents }) => readEventsToFanOut(db, unfannedEvents, bodyBytes),
    fanOutEvents: (db, { unfannedEvents, lanes }) =>
      fanOutEvents(
        db,
        unfannedEvents.map((eventId) => ({
          eventId,
          body: '{}',
          receivers: [
            { endpointId: first(lanes), lane: first(lanes), url: 'https://example.com', claim: 'start' },
          ],
        })),
        { firstDelayS: 0, expiryMs: 86_400_000, leaseS: 45 },
      ),
    claimLanes: (db, { lanes }) =>
      claimLanes(
        db,
        lanes.map((lane) => ({ lane, slots: 8, ahead: 0 })),
        { leaseS: 45, maxAttempts: 5, senders: 1, bodyBytes },
      ),
    markStarted: (db, { claimedDeliveries }) => markStarted(db, claimedDeliveries.map(started), 45),
    lockedReceivers: (db, { claimedDeliveries: deliveryIds, lanes: endpointIds }) =>
      lockedReceivers(db, { endpointIds, deliveryIds }),
    readNewDeliveries: (db, { newDeliveries }) => readNewDeliveries(db, newDeliveries, bodyBytes),
    releaseClaims: (db, { claimedDeliveries }) => releaseClaims(db, claimedDeliveries.map(started)),
    recordAttempts: (db, { claimedDeliveries, lanes }) =>
      recordAttempts(
        db,
        claimedDeliveries.map((id) => ({
          ...started(id),
          endpointId: first(lanes),
          isProbe: false,
          ok: true,
          isGone: false,
          countsForEndpoint: true,
          durationMs: 5,
          statusCode: 204,
          error: null,
          stage: null,
          response: null,
          nextDelayS: null,
          retryAfterS: 0,
          inFlightLimit: null,
        })),
        { failuresToNotify: 3, failuresToDeactivate: 10, maxProbeDelayS: 60 },
      ),
  }),
  ...of('sweep', 'holdfast_dispatcher', {
    listRemovableFiles: (db) => listRemovableFiles(db, 500),
    clearStreams: (db, { executions }) => clearStreams(db, 3600, executions.running.length),
    stalePendingExecutions: (db) => stalePendingExecutions(db, 5, 100),
    abandonedAttempts,
    pendingRetries: async (db) => {
      const { due, over } = await pendingRetries(db);
      return [...due, ...over];
    },
    openRuns,
    openRunsAt: (db) => openRunsAt(db, { connection: 'sandbox', target: 'm' }),
    attemptsToPoll,
    staleCallbacks: (db) => staleCallbacks(db, 5),
  }),
  ...of('sweep', 'holdfast_ledger', {
    unsettledAttempts: (db) => unsettledAttempts(db, 5),
    overdueExecutions: (db) => overdueExecutions(db, 100),
    expireExecutions: (db) => expireExecutions(db, 100),
  }),
  ...of('sweep', 'holdfast_webhook_sender', {
    listUnfannedEvents: (db) => listUnfannedEvents(db, 5, 100),
    listDueLanes: (db) => listDueLanes(db, 5),
  }),
  ...(['holdfast_gateway', 'holdfast_ledger'] as const).flatMap((role) =>
    (['one', 'batch', 'sweep'] as const).flatMap((kind) => of(kind, role, batchStatements[role][kind])),
  ),
];

function of(kind: HotStatement['kind'], role: Role, runs: Record<string, RunStatement>): HotStatement[] {
  return Object.entries(runs).map(([name, run]) => ({ name, role, kind, run }));
}
