import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { testFolder } from '@holdfast/testkit/testFolder';
import { describe, expect, it } from '@jest/globals';

const root = resolve(import.meta.dirname, '../..');

type Sample = { label: string; source: string };
type Operation = { operationId: string; 'x-codeSamples': Sample[] };
const document = JSON.parse(readFileSync(join(root, 'docs/openapi.json'), 'utf8')) as {
  paths: Record<string, Record<string, Operation>>;
};
const operations = Object.values(document.paths).flatMap((item) => Object.values(item));
const sourceOf = (operation: Operation, label: string) =>
  operation['x-codeSamples'].find((sample) => sample.label === label)?.source;

/** The samples of a language, with the operations that they show. */
const samplesIn = (label: string) =>
  operations.flatMap((operation) => {
    const source = sourceOf(operation, label);
    return source === undefined ? [] : [{ name: operation.operationId, source }];
  });

const works = (command: string, ...args: string[]) => spawnSync(command, args).status === 0;

function outputOf(command: string, args: string[], options: { cwd?: string; input?: string }): string {
  const { NODE_OPTIONS: _options, ...env } = process.env;
  const { stdout, stderr } = spawnSync(command, args, { ...options, env, encoding: 'utf8' });
  return `${stdout}${stderr}`;
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

describe('the samples of the API reference', () => {
  it('show curl and Go for every operation, with its URL and key from the environment', () => {
    for (const operation of operations) {
      expect(sourceOf(operation, 'curl')).toMatch(/^export HOLDFAST_URL=.*\ncurl "\$HOLDFAST_URL\/v1\//);
      expect(sourceOf(operation, 'Go')).toMatch(/os\.Getenv\("HOLDFAST_URL"\) \+ "\/v1\//);
    }
  });

  it('have no type errors in TypeScript', () => {
    const folder = testFolder('reference-typescript');
    const samples = samplesIn('TypeScript');
    for (const { name, source } of samples) write(join(folder, `${name}.ts`), source);
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
    write(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
    write(join(folder, 'package.json'), '{"type":"module"}');
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    expect(samples.length).toBeGreaterThan(30);
    expect(outputOf(process.execPath, [compiler, '-p', folder], {})).toBe('');
  });

  const python = works('python3', '-c', 'import sys; sys.exit(sys.version_info < (3, 9))') ? it : it.skip;
  python('call methods of the Python SDK with arguments that they take', () => {
    const sources = samplesIn('Python').map(({ source }) => source);
    const args = [join(import.meta.dirname, 'checkCalls.py'), join(root, 'sdk/python/src/holdfast/_sync')];
    expect(sources.length).toBeGreaterThan(30);
    expect(outputOf('python3', args, { input: JSON.stringify(sources) })).toBe(`checked ${sources.length}\n`);
  });

  const go = works('go', 'version') ? it : it.skip;
  go(
    'compile in Go',
    () => {
      const folder = testFolder('reference-go');
      write(join(folder, 'go.mod'), 'module samples\n\ngo 1.19\n');
      for (const { name, source } of samplesIn('Go')) write(join(folder, name, 'main.go'), source);
      expect(outputOf('go', ['vet', './...'], { cwd: folder })).toBe('');
      expect(outputOf('gofmt', ['-l', '.'], { cwd: folder })).toBe('');
    },
    180_000,
  );

  const bash = works('bash', '--version') ? it : it.skip;
  bash('are valid in a shell', () => {
    const text = samplesIn('curl').map(({ source }) => source);
    expect(outputOf('bash', ['-n'], { input: text.join('\n') })).toBe('');
  });
});
