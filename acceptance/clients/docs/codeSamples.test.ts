import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { apiClient } from '@holdfast/testkit/apiClient';
import { testFolder } from '@holdfast/testkit/testFolder';
import { type Receiver, startReceiver } from '@holdfast/testkit/webhookReceiver';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type LocalHoldfast, startLocalHoldfast } from '../../stack/localHoldfast.ts';
import { completedSample, operations } from './operations.ts';
import {
  buildGo,
  type Programs,
  python,
  type Runner,
  runGo,
  runPython,
  runShell,
  runTypeScript,
} from './programs.ts';

const root = resolve(import.meta.dirname, '../../..');

type Operation = { operationId: string; 'x-codeSamples': { label: string; source: string }[] };
const document = JSON.parse(readFileSync(join(root, 'docs/openapi.json'), 'utf8')) as {
  paths: Record<string, Record<string, Operation>>;
};
const documented = Object.values(document.paths).flatMap((item) => Object.values(item));

/** The samples of a language by the operations that they show. */
function samplesIn(label: string): Programs {
  const found = documented.flatMap(({ operationId, 'x-codeSamples': samples }) => {
    const source = samples.find((sample) => sample.label === label)?.source;
    return source === undefined ? [] : [[operationId, source]];
  });
  return Object.fromEntries(found) as Programs;
}

const works = (command: string, ...args: string[]) => spawnSync(command, args).status === 0;

const languages: { label: string; run: Runner; lacks: string | null }[] = [
  { label: 'TypeScript', run: runTypeScript, lacks: null },
  {
    label: 'Python',
    run: runPython,
    lacks: works(python, '-c', 'import holdfast')
      ? null
      : 'the SDK: npm run test:acceptance -- docs installs it',
  },
  { label: 'Go', run: runGo, lacks: works('go', 'version') ? null : 'go' },
  { label: 'curl', run: runShell, lacks: works('curl', '--version') ? null : 'curl' },
];

it('shows curl and Go for every operation, and the SDKs for nearly all but batches', () => {
  const count = documented.length;
  const known = documented.filter(({ operationId }) => !operationId.includes('Batch')).length;
  expect(Object.keys(operations).sort()).toEqual(documented.map(({ operationId }) => operationId).sort());
  expect(Object.keys(samplesIn('curl'))).toHaveLength(count);
  expect(Object.keys(samplesIn('Go'))).toHaveLength(count);
  expect(Object.keys(samplesIn('TypeScript')).length).toBeGreaterThan(known - 4);
  expect(Object.keys(samplesIn('Python')).length).toBeGreaterThan(known - 5);
});

it('shows TypeScript without type errors', () => {
  const folder = testFolder('reference-types');
  for (const [name, source] of Object.entries(samplesIn('TypeScript')))
    writeFileSync(join(folder, `${name}.ts`), source);
  const compilerOptions = {
    noEmit: true,
    strict: true,
    allowImportingTsExtensions: true,
    target: 'es2024',
    module: 'nodenext',
    lib: ['es2024', 'esnext'],
    types: ['node'],
    typeRoots: [join(root, 'node_modules/@types')],
    paths: { '@holdfast/sdk': [join(root, 'sdk/typescript/src/index.ts')] },
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  expect(spawnSync(process.execPath, [compiler, '-p', folder]).stdout.toString()).toBe('');
});

describe('the samples of the API reference', () => {
  const home = testFolder('reference');
  let holdfast: LocalHoldfast;
  let receiver: Receiver;

  beforeAll(async () => {
    [holdfast, receiver] = await Promise.all([startLocalHoldfast(home), startReceiver()]);
  }, 120_000);
  afterAll(() => Promise.all([holdfast?.stop(), receiver?.close()]), 20_000);

  describe.each(languages)('in $label', ({ label, run, lacks }) => {
    if (lacks !== null) {
      it.skip(`run (this machine lacks ${lacks})`, () => {});
      return;
    }
    const samples = samplesIn(label);
    const names = Object.keys(samples);
    const ids: Record<string, string> = {};
    let output: Programs = {};

    beforeAll(async () => {
      const { base_url: url, api_key: key } = holdfast.readState();
      const { NODE_OPTIONS: _options, ...own } = process.env;
      const env = { ...own, HOLDFAST_URL: url, HOLDFAST_API_KEY: key };
      const folder = join(home, label);
      mkdirSync(folder, { recursive: true });
      // Compiles what all programs import, which takes long the first time: what the samples need would end meanwhile.
      if (label === 'Go') await buildGo(folder, samples, env);
      const api = apiClient(url, key);
      const make = async (name: string) => {
        ids[name] = (await operations[name]?.make?.(api, receiver.url)) ?? '';
      };
      // A page of these has the newest, and the others make many.
      const newestFirst = ['listEvents', 'listExecutions'];
      await Promise.all(names.filter((name) => !newestFirst.includes(name)).map(make));
      await Promise.all(newestFirst.map(make));
      const completed = names.map((name) => [
        name,
        completedSample(samples[name] ?? '', ids[name] ?? '', url, key),
      ]);
      output = await run(folder, Object.fromEntries(completed) as Programs, { env, timeoutMs: 120_000 });
    }, 900_000);

    it.each(names)('%s does what it says', async (name) => {
      const { prints = (id: string) => new RegExp(id), leaves } = operations[name] ?? {};
      const id = ids[name] ?? '';
      expect(output[name] ?? output['']).toMatch(prints(id));
      expect(output[name]).not.toMatch(/^FAILED|^\{"error"/m);
      const { base_url: url, api_key: key } = holdfast.readState();
      await leaves?.(apiClient(url, key), id);
    });
  });
});
