import { beforeAll, describe, expect, it } from '@jest/globals';
import { stackOfTests } from '../../stack/stackOfTests.ts';
import type { Line } from '../programs.ts';
import { sampleModels } from './models.ts';
import { installNode, type Remote, runNode, runPython } from './programs.ts';

const stack = await stackOfTests({ COMPATIBLE_APIS: 'replicate' }, sampleModels);
let remote: Remote;

beforeAll(async () => {
  await installNode();
  const { apiKey } = await stack.newCustomer();
  remote = { baseUrl: `${stack.baseUrl}/v1/replicate`, apiKey };
}, 600_000);

function expectNoProblem(lines: Line[] | null, atLeast: number): void {
  if (lines === null) return;
  expect(lines.filter(({ problem }) => problem !== null)).toEqual([]);
  expect(lines.length).toBeGreaterThanOrEqual(atLeast);
}

describe("by base URL and key alone, Replicate's client", () => {
  it('for Node works', async () => {
    expectNoProblem(await runNode('calls.mjs', remote), 25);
  }, 280_000);

  it('for Python works', async () => {
    expectNoProblem(await runPython('calls.py', remote), 20);
  }, 900_000);
});

it('by base URL and key alone, the AI SDK works', async () => {
  expectNoProblem(await runNode('aiSdk.mjs', remote), 4);
}, 120_000);

it("by base URL alone, the samples in the READMEs of Replicate's clients work", async () => {
  expectNoProblem(await runNode('samples.mjs', remote), 27);
  expectNoProblem(await runPython('samples.py', remote), 13);
}, 900_000);
