import { existsSync } from 'node:fs';
import path from 'node:path';
import { root, runNode, UserError } from './child.mjs';
import { buildConsole, ensureConsole, testConsole, testDocs } from './console.mjs';
import { compileCache, ensureCompiled, runPnpm } from './dependencies.mjs';
import { generate } from './generate.mjs';
import { findHelm } from './helm.mjs';
import { test } from './jest.mjs';
import { release } from './release.mjs';
import { packForInstall, releaseSdks, testSdks } from './sdk.mjs';
import { verify } from './verify.mjs';

const quiet = '--disable-warning=ExperimentalWarning';

/** Runs a TypeScript entry of the tree with the arguments after the task's name. */
function script(file, options) {
  return (args) => {
    if (!existsSync(path.join(root, file))) throw new UserError(`${file} is missing from this checkout.`);
    return runNode([quiet, file, ...args], options);
  };
}

/** A `script` that starts the services, in whatever folder, with code that is compiled before. `meanwhile` begins what nothing waits for. */
function serviceScript(file, { ipc = false, meanwhile = () => {} } = {}) {
  const run = script(file, { ipc, env: { NODE_COMPILE_CACHE: compileCache } });
  return async (args) => {
    if (!args.includes('--help') && !args.includes('-h')) {
      meanwhile();
      await ensureCompiled();
    }
    return await run(args);
  };
}

/** The suites of charts need Helm; without it, the others run. */
async function testAcceptance(args) {
  const helm = await findHelm();
  if (helm) return await test(args, { only: ['acceptance'], env: { HELM: helm } });
  console.error('acceptance/operations/helm is skipped: neither Helm nor Go is installed.');
  return await test([...args, '--testPathIgnorePatterns', 'acceptance/operations/helm'], {
    only: ['acceptance'],
  });
}

/** name -> the text of `--help`, which is all the help if `isPlain`, and the function that runs it and returns an exit code. */
export const tasks = {
  start: {
    about: 'run everything on this machine: Postgres, Redis, the services, a sandbox (--help)',
    // By the channel the launcher notices the end of this process, whatever its cause.
    run: serviceScript('packages/local/src/start.ts', { ipc: true, meanwhile: buildConsole }),
  },
  test: { about: 'run the tests (arguments go to Jest: a path, -t title)', run: test },
  'test:unit': {
    about: 'run only the tests that need no server',
    // They start no server, so there is room for one more worker: the longest of them wait for clocks.
    run: (args) => test(args.includes('-w') ? args : ['-w', '4', ...args], { only: ['unit'] }),
  },
  'test:db': {
    about: 'run only the tests beside the code that need PostgreSQL or Redis',
    run: (args) => test(args, { only: ['db'] }),
  },
  'test:system': {
    about: 'run only the tests that start the whole system',
    run: (args) => test(args, { only: ['system'] }),
  },
  'test:acceptance': {
    about:
      'run the acceptance suites: faults, Helm, observability, engines, tracing, versions, documents, adapters, OpenAPI, search, releases',
    run: testAcceptance,
  },
  'test:compose': {
    about:
      'test the stack of docker-compose.yml: tutorial, scaling, killed containers (needs Docker; --help)',
    run: script('acceptance/faults/compose/main.ts'),
  },
  'test:providers': {
    about: 'test against real Cog, LiteLLM and others, installed from PyPI (needs Python 3.10; --help)',
    run: script('acceptance/providers/main.ts'),
  },
  'test:failover': {
    about: 'let PostgreSQL (needs root and Debian), Redis or the S3 server fail under load (--help)',
    run: script('acceptance/faults/failover/main.ts'),
  },
  'test:sdk': {
    about: 'build and pack the SDKs, and test them against a live npm start with faults',
    run: testSdks,
  },
  'test:python': {
    about: 'test the Python SDK in the same way (needs Python 3.10 and PyPI)',
    run: (args) => test(args, { only: ['python'] }),
  },
  'test:console': {
    about: 'build the console, and test it in a browser against a live npm start (needs Chromium)',
    run: testConsole,
  },
  'test:docs': {
    about: 'run every sample of the documentation, and test its site in a browser (needs Chromium)',
    run: testDocs,
  },
  console: {
    isPlain: true,
    about: 'build the console, as npm start does when its sources have changed',
    run: async () => {
      await ensureConsole();
      return 0;
    },
  },
  'sdk:pack': {
    isPlain: true,
    about: 'build and pack the SDKs of TypeScript, to install them from this checkout',
    run: packForInstall,
  },
  'sdk:release': {
    isPlain: true,
    about:
      'set the version of the SDKs for npm, pack and check them, write their references; publishes nothing',
    run: releaseSdks,
  },
  release: {
    about: 'set the version everywhere, close the section of the changelog, commit and tag (--help)',
    run: release,
  },
  verify: {
    isPlain: true,
    about: 'check types, lint, format, dead code and generated files, then run the tests',
    run: verify,
  },
  bench: {
    about: 'measure the whole path of an execution under load, as JSON (--help)',
    run: serviceScript('bench/main.ts'),
  },
  soak: {
    about: 'run load for an hour while parts fail in turn, and report growth and losses (--help)',
    run: serviceScript('bench/soak/main.ts'),
  },
  rolling: {
    about: 'restart two of each service under load; no request may fail (--help)',
    run: script('acceptance/faults/rolling/main.ts'),
  },
  holdfast: {
    about: "the operator's commands: doctor, organizations, executions, audit (--help)",
    run: script('packages/cli/src/main.mjs'),
  },
  'webhooks:listen': {
    about: 'print and verify the webhooks of the running npm start (--help)',
    run: script('packages/local/src/listen.ts', { ipc: true }),
  },
  format: {
    about: 'format every file and sort imports',
    run: (args) => runNode(['node_modules/@biomejs/biome/bin/biome', 'check', '--write', ...args]),
  },
  generate: {
    isPlain: true,
    about:
      "write the generated files (OpenAPI, configuration tables, commands, the chart's alert rules and values)",
    run: generate,
  },
  figures: {
    isPlain: true,
    about: 'measure the code: files, lines, comments, long functions',
    run: script('scripts/figures.mjs'),
  },
  audit: {
    about: 'check the dependencies for advisories; high and critical ones fail',
    run: (args) => runPnpm(['audit', '--audit-level=high', ...args]),
  },
  sbom: {
    about: 'print the dependencies as CycloneDX JSON (--out FILE writes it)',
    run: (args) => runPnpm(['sbom', '--sbom-format', 'cyclonedx', ...args]),
  },
  'db:migration': {
    isPlain: true,
    about: 'write a new migration from prisma/schema.prisma (argument: its name)',
    run: script('packages/local/src/newMigration.ts'),
  },
};
