import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { outputOf } from '@holdfast/testkit/command';
import { testFolder } from '@holdfast/testkit/testFolder';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { stackOfTests } from '../../stack/stackOfTests.ts';
import type { Line } from '../programs.ts';
import { curlSamples, examples } from './curlSamples.ts';
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
  expectNoProblem(await runNode('aiSdk.mjs', remote), 8);
}, 120_000);

it("by base URL alone, the samples in the READMEs of Replicate's clients work", async () => {
  expectNoProblem(await runNode('samples.mjs', remote), 27);
  expectNoProblem(await runPython('samples.py', remote), 13);
}, 900_000);

const hasCurl = spawnSync('curl', ['--version']).status === 0;

(hasCurl ? it : it.skip)(
  "by host alone, the samples of Replicate's HTTP reference work (skipped without curl)",
  async () => {
    const archive = join(testFolder('curl'), 'archive.zip');
    writeFileSync(archive, Buffer.concat([Buffer.from('PK\x05\x06'), Buffer.alloc(18)]));
    // Its list of predictions has one page.
    const { apiKey } = await stack.newCustomer();
    const env = { ...process.env, REPLICATE_API_TOKEN: apiKey };
    let id = '';
    for (const [name, sample, printed] of curlSamples) {
      const here = sample
        .replace('https://api.replicate.com', remote.baseUrl)
        .replace('/path/to/archive.zip', archive);
      const text = examples.reduce((made, example) => made.replace(example, id), here);
      const output = await outputOf('bash', ['-c', text], { env, timeoutMs: 60_000 });
      if (printed instanceof RegExp) expect([name, output]).toEqual([name, expect.stringMatching(printed)]);
      else expect([name, JSON.parse(output)]).toMatchObject([name, printed]);
      if (/^(models\.predictions|files)\.create/.test(name)) id = JSON.parse(output).id;
    }
  },
  120_000,
);
