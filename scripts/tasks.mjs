import { testAcceptance, testClients } from './acceptance.mjs';
import { runNode, script } from './child.mjs';
import { buildConsole } from './console.mjs';
import { compileCache, ensureCompiled, runPnpm } from './dependencies.mjs';
import { generate } from './generate.mjs';
import { testTiers } from './jest.mjs';
import { release } from './release.mjs';
import { packForInstall } from './sdk.mjs';
import { verify } from './verify.mjs';

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

/**
 * Each task has the text of `--help`, which is all the help if `isPlain`, and the function that runs it and returns an
 * exit code.
 */
export const tasks = {
  start: {
    about: 'run everything on this machine: Postgres, Redis, the services, a sandbox (--help)',
    // By the channel the launcher notices the end of this process, whatever its cause.
    run: serviceScript('packages/local/src/start.ts', { ipc: true, meanwhile: buildConsole }),
  },
  test: {
    about:
      'run the tests: --unit, --db or --system only these (other arguments go to Jest: a path, -t title)',
    run: testTiers,
  },
  'test:acceptance': {
    about: 'run suites over whole systems: all that need no more than this checkout, or one by name (--help)',
    run: testAcceptance,
  },
  'test:clients': {
    about:
      'run clients of OpenAI, Replicate and fal over this service (needs npm; PyPI for Python): all, or -- openai',
    run: testClients,
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
    about:
      'check the dependencies for advisories, high ones fail; --sbom prints them as CycloneDX JSON instead',
    run: (args) =>
      args.includes('--sbom')
        ? runPnpm(['sbom', '--sbom-format', 'cyclonedx', ...args.filter((arg) => arg !== '--sbom')])
        : runPnpm(['audit', '--audit-level=high', ...args]),
  },
  release: {
    about: 'set the version everywhere, close the section of the changelog, commit and tag (--help)',
    run: release,
  },
  'sdk:pack': {
    isPlain: true,
    about: 'build and pack the SDKs of TypeScript, to install them from this checkout',
    run: packForInstall,
  },
  'db:migration': {
    isPlain: true,
    about: 'write a new migration from prisma/schema.prisma (argument: its name)',
    run: script('packages/local/src/newMigration.ts'),
  },
};
