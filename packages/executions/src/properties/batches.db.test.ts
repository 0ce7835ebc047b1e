import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { checkRun } from './testing/checks.ts';
import { failure } from './testing/commands/record.ts';
import { openProcesses, type Processes } from './testing/processes.ts';
import { type KnownExecution, openRun } from './testing/run.ts';
import { recordMany, type StartedExecution, startMany } from './testing/startedExecutions.ts';
import { lastSteps } from './testing/steps.ts';

let processes: Processes;

beforeAll(async () => {
  processes = await openProcesses();
});

afterAll(async () => {
  await processes.close();
});

const organizations = 100;
const rounds = 30;

it('concurrent batches of creates and endings of the same organizations do not deadlock', async () => {
  const run = await openRun(processes, '1000', organizations);
  const all: KnownExecution[] = [];
  let ready: StartedExecution[][] = [];
  for (let round = 0; round < rounds; round++) {
    const [good = [], bad = []] = ready;
    const settling = [
      ...good.map(({ attempt }) => processes.ledgers[0].settler.settle({ attemptId: attempt.id, ok: true })),
      ...bad.map(({ attempt }) => processes.ledgers[1].settler.settle({ attemptId: attempt.id, ok: false })),
    ];
    const [started] = await Promise.all([startMany(run, 2 * organizations), ...settling]);
    all.push(...started);
    ready = [started.slice(0, organizations), started.slice(organizations)];
    await Promise.all([recordMany(run, ready[0] ?? []), recordMany(run, ready[1] ?? [], failure)]);
  }
  run.executions = all;
  expect(all).toHaveLength(rounds * 2 * organizations);
  for (const step of lastSteps) await step.perform(run);
  await checkRun(run);
});
