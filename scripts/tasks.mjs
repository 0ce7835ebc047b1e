import { existsSync } from 'node:fs';
import path from 'node:path';
import { root, runNode, UserError } from './child.mjs';
import { runPnpm } from './dependencies.mjs';
import { generate } from './generate.mjs';
import { test } from './jest.mjs';
import { verify } from './verify.mjs';

const quiet = '--disable-warning=ExperimentalWarning';

/** A TypeScript entry of the tree; arguments after the task's name are its own. */
function script(file, options) {
  return (args) => {
    if (!existsSync(path.join(root, file))) throw new UserError(`${file} is missing from this checkout.`);
    return runNode([quiet, file, ...args], options);
  };
}

/** name -> what `--help` says, and the function that runs it and answers an exit code. */
export const tasks = {
  start: {
    about: 'run everything on this machine: Postgres, Redis, the services, a sandbox (--help for its flags)',
    // The channel tells the launcher when this process is gone, however it ended.
    run: script('packages/local/src/start.ts', { ipc: true }),
  },
  test: { about: 'run the tests (arguments go to Jest: a path, -t title)', run: test },
  'test:code': { about: 'the tests beside the code alone', run: (args) => test(args, { only: ['code'] }) },
  'test:system': {
    about: 'the tests that start the whole system alone',
    run: (args) => test(args, { only: ['system'] }),
  },
  'test:acceptance': {
    about: 'faults, Helm chart, observability, engines, tracing, two versions, documents, adapters',
    run: (args) => test(args, { only: ['acceptance'] }),
  },
  'test:compose': {
    about: 'test the stack of docker-compose.yml: tutorial, scale, kill everything (needs Docker; --help)',
    run: script('acceptance/compose/main.ts'),
  },
  'test:providers': {
    about: 'test against real Cog, LiteLLM and others, installed from PyPI (needs Python 3.10; --help)',
    run: script('acceptance/providers/main.ts'),
  },
  verify: { about: 'types, lint, format, dead code, generated files, then the tests', run: verify },
  bench: {
    about: 'measure the whole path of an execution under load, as JSON',
    run: script('bench/main.ts'),
  },
  soak: {
    about: 'users at work for an hour while everything breaks in turn: what grows? (--help)',
    run: script('bench/soak/main.ts'),
  },
  rolling: {
    about: 'restart two of each service under load: nobody may notice (--help)',
    run: script('acceptance/rolling/main.ts'),
  },
  holdfast: {
    about: "the operator's commands: doctor, organizations, executions, audit (--help)",
    run: script('packages/cli/src/main.mjs'),
  },
  'webhooks:listen': {
    about: 'print the webhooks of the running npm start as they come, verified (--help)',
    run: script('packages/local/src/listen.ts', { ipc: true }),
  },
  format: {
    about: 'format every file and sort imports',
    run: (args) => runNode(['node_modules/@biomejs/biome/bin/biome', 'check', '--write', ...args]),
  },
  generate: {
    about:
      "write the generated files anew (OpenAPI, configuration tables, commands, the chart's alert rules)",
    run: generate,
  },
  figures: {
    about: 'how the code is cut: files, lines, comments, long functions',
    run: script('scripts/figures.mjs'),
  },
  audit: {
    about: 'ask the registry for advisories of what the lockfile names; high and critical ones fail',
    run: (args) => runPnpm(['audit', '--audit-level=high', ...args]),
  },
  sbom: {
    about: 'print what the system is made of, as CycloneDX JSON (--out FILE writes it)',
    run: (args) => runPnpm(['sbom', '--sbom-format', 'cyclonedx', ...args]),
  },
  'db:migration': {
    about: 'write a new migration from prisma/schema.prisma (argument: its name)',
    run: script('packages/local/src/newMigration.ts'),
  },
};
