import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { outputOf } from '@holdfast/testkit/command';
import { testFolder } from '@holdfast/testkit/testFolder';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { pythonEnvironment, Skipped } from '../../providers/pythonEnvironment.ts';
import { installDependencies } from '../../stack/dependencies.ts';
import { type LocalHoldfast, startLocalHoldfast } from '../../stack/localHoldfast.ts';
import { requirements } from '../openai/programs.ts';
import { packages } from '../replicate/programs.ts';
import { blocks } from './tutorial.ts';

const page = 'docs/compatible.md';
const home = testFolder('compatible');
const [openai = ''] = requirements.openai;
/** The page has their samples in this order. */
const services = ['openai', 'replicate', 'fal'];

describe("the samples of other services' clients", () => {
  let holdfast: LocalHoldfast | undefined;
  let env: NodeJS.ProcessEnv = {};

  beforeAll(async () => {
    holdfast = await startLocalHoldfast(home);
    const { base_url, api_key } = holdfast.readState();
    const { NODE_OPTIONS: _options, ...own } = process.env;
    env = { ...own, HOLDFAST_URL: base_url, HOLDFAST_API_KEY: api_key };
  }, 120_000);
  afterAll(() => holdfast?.stop(), 20_000);

  async function run(service: string, language: string, file: string, command: string): Promise<string> {
    const text = blocks(page, language)[services.indexOf(service)] ?? '';
    const folder = join(home, service);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, file), text);
    return await outputOf(command, [file], { cwd: folder, env, timeoutMs: 60_000 });
  }

  it.each(services)(
    'run for %s in Node',
    async (service) => {
      const tools = resolve(import.meta.dirname, `../${service}/tools`);
      await installDependencies(tools);
      mkdirSync(join(home, service), { recursive: true });
      symlinkSync(join(tools, 'node_modules'), join(home, service, 'node_modules'));
      expect(await run(service, 'ts', 'sample.mjs', process.execPath)).toContain('Hello');
    },
    300_000,
  );

  it.each(['openai', 'replicate'])(
    'run for %s in Python',
    async (service) => {
      const { signal } = new AbortController();
      try {
        const needs = [openai, ...packages];
        const folder = await pythonEnvironment('samples', needs, console.warn, signal);
        const output = await run(service, 'python', 'sample.py', join(folder, 'bin/python'));
        expect(output).toContain('Hello');
      } catch (error) {
        if (!(error instanceof Skipped)) throw error;
        console.warn(`The sample is not run: ${error.message}.`);
      }
    },
    900_000,
  );

  it.each(services)(
    'run for %s in curl',
    async (service) => {
      const output = await run(service, 'bash', 'sample.sh', 'bash');
      expect(JSON.parse(output)).not.toHaveProperty('error.message');
      expect(output).toContain('Hello');
    },
    70_000,
  );
});
