import { auditLedger } from '@holdfast/db/audit/audit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { checkBooks } from './testing/books.ts';
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
  await checkBooks(run);
}

async function atOnce(groups: Step[][]): Promise<void> {
  const run = await openRun(processes, openingBalance);
  for (const steps of groups) {
    // To the end of them all: what is still under way would disturb the next run.
    const results = await Promise.allSettled(steps.map((step) => step.perform(run)));
    for (const result of results) if (result.status === 'rejected') throw result.reason;
  }
  for (const step of lastSteps) await step.perform(run);
  await checkBooks(run);
}

describe('whatever is done to executions and balances', () => {
  it(
    'one after the other has the effect and the answer that a simple model of the ledger expects',
    async () => {
      const steps = fc.array(anyStep, { minLength: 1, maxLength: 160, size: 'max' });
      await fc.assert(fc.asyncProperty(steps, oneByOne), propertyOptions(12));
    },
    longestMs,
  );

  it(
    'at once, by several processes, leaves the books right and every execution charged once or never',
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
