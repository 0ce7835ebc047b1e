import { claimByToken } from '@holdfast/db/attempts/lease';
import { auditLedger } from '@holdfast/db/audit/audit';
import { markCallbackProcessed, readCallback, storeCallback } from '@holdfast/db/callbacks';
import { newId } from '@holdfast/domain/ids';
import type { ExecutionStatus } from '@holdfast/domain/statuses';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { cancel, expireDue } from '../lifecycle.ts';
import { checkRun } from './testing/checks.ts';
import { resultOf } from './testing/command.ts';
import { failure } from './testing/commands/record.ts';
import { readHistories } from './testing/histories.ts';
import { passTime } from './testing/passTime.ts';
import { openProcesses, type Processes, testRoute } from './testing/processes.ts';
import { racePairs, raceSweep, races } from './testing/race.ts';
import { type KnownExecution, openRun, type Run } from './testing/run.ts';
import {
  createMany,
  recordMany,
  requestOf,
  type StartedExecution,
  startMany,
  successOf,
} from './testing/startedExecutions.ts';
import { lastSteps } from './testing/steps.ts';

let processes: Processes;
let run: Run;

beforeAll(async () => {
  processes = await openProcesses();
});

afterAll(async () => {
  const breaches = await auditLedger(processes.owner);
  await processes.close();
  expect(breaches).toEqual([]);
});

beforeEach(async () => {
  run = await openRun(processes, '1000');
});

async function statuses(): Promise<ExecutionStatus[]> {
  return (await readHistories(processes.owner, run.organizationIds)).map(({ status }) => status);
}

/** Every race had a winner, each side won at least once, and the ledger agrees. */
async function conclude(winners: (string | null)[], sides: [string, string]): Promise<void> {
  const split = sides.map((side) => winners.filter((winner) => winner === side).length);
  expect(split[0]).toBeGreaterThan(0);
  expect(split[1]).toBeGreaterThan(0);
  expect(winners).toHaveLength(races);
  expect(winners.filter((winner) => !sides.includes(winner ?? ''))).toEqual([]);
  await checkLedger();
}

async function checkLedger(): Promise<void> {
  for (const step of lastSteps) await step.perform(run);
  await checkRun(run);
}

async function cancelIt({ id, organizationId }: KnownExecution): Promise<void> {
  const cancelling = cancel(processes.gateways[1], organizationId, id).then(({ status }) => status);
  const response = await resultOf(cancelling);
  (response === 'CANCELLED' ? run.acceptedCancels : run.refusedCancels).push(id);
}

const [left, right] = [0, 1] as const;
const completeIt = ({ attempt }: StartedExecution) =>
  processes.ledgers[left].settler.settle({ attemptId: attempt.id, ok: true });
const failIt = ({ attempt }: StartedExecution) =>
  processes.ledgers[left].settler.settle({ attemptId: attempt.id, ok: false });
const idsOf = (executions: KnownExecution[]) => executions.map(({ id }) => id);

async function expireAll(): Promise<void> {
  const { db, hints, onExpired } = processes.ledgers[right];
  await expireDue({ db, hints, onEnded: onExpired, locked: new Set() });
}

describe(`each of ${races} races has one winner, consistent in status, money and events`, () => {
  it('between complete and cancel', async () => {
    const ones = await startMany(run, races);
    await recordMany(run, ones);
    await racePairs(ones, completeIt, cancelIt);
    await conclude(await statuses(), ['COMPLETED', 'CANCELLED']);
  });

  it('between fail and cancel', async () => {
    const ones = await startMany(run, races);
    await recordMany(run, ones, failure);
    await racePairs(ones, failIt, cancelIt);
    await conclude(await statuses(), ['FAILED', 'CANCELLED']);
  });

  it('between start and cancel, where a started execution is cancelled later', async () => {
    const ones = await createMany(run, races);
    const started = new Set<string>();
    const startIt = async ({ id }: KnownExecution) => {
      if (await processes.dispatchers[left].starter.start(id, testRoute)) started.add(id);
    };
    await racePairs(ones, startIt, cancelIt);
    const histories = await readHistories(processes.owner, run.organizationIds);
    expect(new Set(histories.map(({ status }) => status))).toEqual(new Set(['CANCELLED']));
    expect(histories.filter(({ id, wasStarted }) => wasStarted !== started.has(id))).toEqual([]);
    const first = histories.map(({ wasStarted }) => (wasStarted ? 'start' : 'cancel'));
    await conclude(first, ['start', 'cancel']);
  });

  it('between cancel and expire', async () => {
    const ones = await createMany(run, races);
    await raceSweep(ones, (few) => passTime(processes.owner, idsOf(few)), cancelIt, expireAll);
    await conclude(await statuses(), ['CANCELLED', 'EXPIRED']);
  });

  it('between expire and complete with a late result, and expire wins all of them', async () => {
    const ones = await startMany(run, races);
    const makeLate = async (few: StartedExecution[]) => {
      await passTime(processes.owner, idsOf(few));
      await recordMany(run, few);
    };
    await raceSweep(ones, makeLate, completeIt, expireAll);
    await expireAll();
    expect(new Set(await statuses())).toEqual(new Set(['EXPIRED']));
    await checkLedger();
  });

  it('between two completes by two processes', async () => {
    const ones = await startMany(run, races);
    await recordMany(run, ones);
    const completeByOther = ({ attempt }: StartedExecution) =>
      processes.ledgers[right].settler.settle({ attemptId: attempt.id, ok: true });
    await racePairs(ones, completeIt, completeByOther);
    expect(new Set(await statuses())).toEqual(new Set(['COMPLETED']));
    const winners = processes.endings.map(({ by }) => (by === processes.ledgers[left].db ? 'left' : 'right'));
    await conclude(winners, ['left', 'right']);
  });

  it('between the callback of a run and the commit of its submission', async () => {
    const ones = await startMany(run, races);
    const winners: string[] = [];
    await racePairs(
      [...ones.entries()],
      async ([, { attempt }]) => {
        const handle = { externalId: attempt.token };
        const running = { attemptId: attempt.id, handle, awaitsCallback: true, pollAfterMs: 1000 };
        winners.push(
          (await processes.dispatchers[left].recorder.recordRunning(running)) ? 'submit' : 'callback',
        );
      },
      ([index, one]) => callBack(one, index),
    );
    expect(new Set(await statuses())).toEqual(new Set(['COMPLETED']));
    const { rows } = await processes.owner.pool.query(
      `SELECT DISTINCT state, lease_until, poll_at, settled_at IS NOT NULL AS settled FROM attempts
       WHERE execution_id = ANY ($1)`,
      [idsOf(ones)],
    );
    expect(rows).toEqual([{ state: 'succeeded', lease_until: null, poll_at: null, settled: true }]);
    await conclude(winners, ['submit', 'callback']);
  });

  it('between two creates under one key by two processes', async () => {
    const requests = Array.from({ length: races }, (_, index) => requestOf(run, index, `key ${index}`));
    const winners: string[] = [];
    const createBy = (which: 0 | 1) => async (request: (typeof requests)[number]) => {
      const { record, replayed } = await processes.gateways[which].creator.create(request);
      const { organizationId, idempotencyKey } = request;
      run.accepted.push({ organizationId, idempotencyKey, id: record.id, replayed });
      if (replayed) return;
      winners.push(which === left ? 'left' : 'right');
      run.executions.push({ id: record.id, request, organizationId, attempt: null, outcomes: [] });
    };
    await racePairs(requests, createBy(left), createBy(right));
    await conclude(winners, ['left', 'right']);
  });

  it('between two starts by two processes', async () => {
    const ones = await createMany(run, races);
    const winners: string[] = [];
    const startBy = (which: 0 | 1) => async (one: KnownExecution) => {
      const started = await processes.dispatchers[which].starter.start(one.id, testRoute);
      if (started) winners.push(which === left ? 'left' : 'right');
    };
    await racePairs(ones, startBy(left), startBy(right));
    expect(new Set(await statuses())).toEqual(new Set(['PROCESSING']));
    await conclude(winners, ['left', 'right']);
  });
});

/** The gateway stores it, the dispatcher reads it, the ledger settles the outcome. */
async function callBack({ attempt, outcomes }: StartedExecution, index: number): Promise<void> {
  const id = newId('cbk');
  const sent = { token: attempt.token, provider: testRoute.connection };
  const callback = { id, ...sent, eventKey: id, headers: {}, body: Buffer.from('{}') };
  await storeCallback(processes.gateways[right].db, callback);
  const dispatcher = processes.dispatchers[right];
  const stored = await readCallback(dispatcher.db, id);
  const claimed = stored && (await claimByToken(dispatcher.db, stored.token, 30));
  if (!claimed) throw new Error('the callback was not read');
  const outcome = successOf(index);
  outcomes.push(outcome);
  await dispatcher.recorder.recordOutcome(claimed.attemptId, outcome, 'succeeded');
  await markCallbackProcessed(dispatcher.db, id);
  await processes.ledgers[right].settler.settle({ attemptId: claimed.attemptId, ok: true });
}
