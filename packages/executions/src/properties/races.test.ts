import { claimByToken } from '@holdfast/db/attempts/claim';
import { auditLedger } from '@holdfast/db/audit/audit';
import { markCallbackProcessed, readCallback, storeCallback } from '@holdfast/db/callbacks';
import { newId } from '@holdfast/domain/ids';
import type { ExecutionStatus } from '@holdfast/domain/statuses';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { cancel, expireDue } from '../lifecycle.ts';
import { checkBooks } from './testing/books.ts';
import { answered } from './testing/command.ts';
import { failure } from './testing/commands/record.ts';
import {
  type Contender,
  createMany,
  recordMany,
  requestOf,
  startMany,
  successOf,
} from './testing/contenders.ts';
import { passTime } from './testing/passTime.ts';
import { openProcesses, type Processes, somewhere } from './testing/processes.ts';
import { racePairs, raceSweep, races } from './testing/race.ts';
import { type KnownExecution, openRun, type Run } from './testing/run.ts';
import { lastSteps } from './testing/steps.ts';
import { readStories } from './testing/stories.ts';

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
  return (await readStories(processes.owner, run.organizationIds)).map(({ status }) => status);
}

/** Every race had a winner, either side was it at least once, and the books say the same. */
async function conclude(winners: (string | null)[], sides: [string, string]): Promise<void> {
  const split = sides.map((side) => winners.filter((winner) => winner === side).length);
  process.stdout.write(`  ${sides.map((side, index) => `${side} ${split[index]}`).join(', ')}\n`);
  expect(split[0]).toBeGreaterThan(0);
  expect(split[1]).toBeGreaterThan(0);
  expect(winners).toHaveLength(races);
  expect(winners.filter((winner) => !sides.includes(winner ?? ''))).toEqual([]);
  for (const step of lastSteps) await step.perform(run);
  await checkBooks(run);
}

async function cancelIt({ id, organizationId }: KnownExecution): Promise<void> {
  const asked = cancel(processes.gateways[1], organizationId, id).then(({ status }) => status);
  const answer = await answered(asked);
  (answer === 'CANCELLED' ? run.acceptedCancels : run.refusedCancels).push(id);
}

const [left, right] = [0, 1] as const;
const completeIt = ({ attempt }: Contender) =>
  processes.ledgers[left].settler.settle({ attemptId: attempt.id, ok: true });
const failIt = ({ attempt }: Contender) =>
  processes.ledgers[left].settler.settle({ attemptId: attempt.id, ok: false });
const idsOf = (executions: KnownExecution[]) => executions.map(({ id }) => id);

async function expireAll(): Promise<void> {
  const { db, hints, onExpired } = processes.ledgers[right];
  await expireDue({ db, hints, onEnded: onExpired });
}

describe(`${races} races have one winner each, and one story in status, money and events`, () => {
  it('complete with cancel', async () => {
    const ones = await startMany(run, races);
    await recordMany(run, ones);
    await racePairs(ones, completeIt, cancelIt);
    await conclude(await statuses(), ['COMPLETED', 'CANCELLED']);
  });

  it('fail with cancel', async () => {
    const ones = await startMany(run, races);
    await recordMany(run, ones, failure);
    await racePairs(ones, failIt, cancelIt);
    await conclude(await statuses(), ['FAILED', 'CANCELLED']);
  });

  it('start with cancel, which wins in any case: what was started was cancelled later', async () => {
    const ones = await createMany(run, races);
    const started = new Set<string>();
    const startIt = async ({ id }: KnownExecution) => {
      if (await processes.dispatchers[left].starter.start(id, somewhere)) started.add(id);
    };
    await racePairs(ones, startIt, cancelIt);
    const stories = await readStories(processes.owner, run.organizationIds);
    expect(new Set(stories.map(({ status }) => status))).toEqual(new Set(['CANCELLED']));
    expect(stories.filter(({ id, wasStarted }) => wasStarted !== started.has(id))).toEqual([]);
    const first = stories.map(({ wasStarted }) => (wasStarted ? 'start' : 'cancel'));
    await conclude(first, ['start', 'cancel']);
  });

  it('cancel with expire', async () => {
    const ones = await createMany(run, races);
    await raceSweep(ones, (few) => passTime(processes.owner, idsOf(few)), cancelIt, expireAll);
    await conclude(await statuses(), ['CANCELLED', 'EXPIRED']);
  });

  it('complete, of a result that came too late, with expire', async () => {
    const ones = await startMany(run, races);
    const makeLate = async (few: Contender[]) => {
      await passTime(processes.owner, idsOf(few));
      await recordMany(run, few);
    };
    await raceSweep(ones, makeLate, completeIt, expireAll);
    await conclude(await statuses(), ['COMPLETED', 'EXPIRED']);
  });

  it('complete twice, by two processes', async () => {
    const ones = await startMany(run, races);
    await recordMany(run, ones);
    const completeByOther = ({ attempt }: Contender) =>
      processes.ledgers[right].settler.settle({ attemptId: attempt.id, ok: true });
    await racePairs(ones, completeIt, completeByOther);
    expect(new Set(await statuses())).toEqual(new Set(['COMPLETED']));
    const winners = processes.endings.map(({ by }) => (by === processes.ledgers[left].db ? 'left' : 'right'));
    await conclude(winners, ['left', 'right']);
  });

  it('a callback, and all that follows from it, with the commit of the submit it answers', async () => {
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

  it('create twice under one key, by two processes', async () => {
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

  it('start twice, by two processes', async () => {
    const ones = await createMany(run, races);
    const winners: string[] = [];
    const startBy = (which: 0 | 1) => async (one: KnownExecution) => {
      const started = await processes.dispatchers[which].starter.start(one.id, somewhere);
      if (started) winners.push(which === left ? 'left' : 'right');
    };
    await racePairs(ones, startBy(left), startBy(right));
    expect(new Set(await statuses())).toEqual(new Set(['PROCESSING']));
    await conclude(winners, ['left', 'right']);
  });
});

/** As the gateway takes it in, the dispatcher reads it and the ledger settles what it says. */
async function callBack({ attempt, outcomes }: Contender, index: number): Promise<void> {
  const id = newId('cbk');
  const sent = { token: attempt.token, provider: somewhere.connection };
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
