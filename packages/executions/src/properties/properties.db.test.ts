import { auditLedger } from '@holdfast/db/audit/audit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { checkRun } from './testing/checks.ts';
import type { Step } from './testing/command.ts';
import { propertyOptions } from './testing/config.ts';
import { expectedView, newModel, openingBalance } from './testing/model.ts';
import { observe } from './testing/observe.ts';
import { openProcesses, type Processes } from './testing/processes.ts';
import { openRun } from './testing/run.ts';
import { anyStep, lastSteps } from './testing/steps.ts';

let processes: Processes;

beforeAll(async () => {
  processes = await openProcesses();
});

afterAll(async () => {
  const breaches = await auditLedger(processes.owner);
  await processes.close();
  expect(breaches).toEqual([]);
});

const longestMs = 86_400_000;

async function oneByOne(steps: Step[]): Promise<void> {
  const run = await openRun(processes, openingBalance);
  const model = newModel();
  for (const step of [...steps, ...lastSteps]) {
    const expected = step.expect(model);
    expect(await step.perform(run)).toBe(expected);
    expect(await observe(run)).toEqual(expectedView(model));
  }
  await checkRun(run);
}

async function atOnce(groups: Step[][]): Promise<void> {
  const run = await openRun(processes, openingBalance);
  for (const steps of groups) {
    // Waits for all of them, as they would disturb the next run.
    const results = await Promise.allSettled(steps.map((step) => step.perform(run)));
    for (const result of results) if (result.status === 'rejected') throw result.reason;
  }
  for (const step of lastSteps) await step.perform(run);
  await checkRun(run);
}

describe('random steps on executions and balances', () => {
  it(
    'have the effect and result of a simple model of the ledger when they run one by one',
    async () => {
      const steps = fc.array(anyStep, { minLength: 1, maxLength: 160, size: 'max' });
      await fc.assert(fc.asyncProperty(steps, oneByOne), propertyOptions(12));
    },
    longestMs,
  );

  it(
    'keep the ledger correct and charge every execution at most once when several processes run them at once',
    async () => {
      const groups = fc.array(fc.array(anyStep, { minLength: 1, maxLength: 16, size: 'max' }), {
        minLength: 1,
        maxLength: 30,
        size: 'max',
      });
      await fc.assert(fc.asyncProperty(groups, atOnce), propertyOptions(30));
    },
    longestMs,
  );
});
