import { readdirSync } from 'node:fs';
import path from 'node:path';
import { root, script } from './child.mjs';
import { testConsole, testDocs } from './console.mjs';
import { ensureCompiled } from './dependencies.mjs';
import { findHelm } from './helm.mjs';
import { test } from './jest.mjs';
import { packSdks, testPython, testSdks } from './sdk.mjs';

/** Suites that need more than this checkout: each has what it needs, its own flags, and runs by its name only. */
const named = {
  compose: {
    about: 'the stack of docker-compose.yml: tutorial, scaling, killed containers (needs Docker; --help)',
    run: script('acceptance/faults/compose/main.ts'),
  },
  failover: {
    about: 'PostgreSQL (needs root and Debian), Redis or the S3 server fails under load (--help)',
    run: script('acceptance/faults/failover/main.ts'),
  },
  providers: {
    about: 'real Cog, LiteLLM and others, installed from PyPI (needs Python 3.10; --help)',
    run: script('acceptance/providers/main.ts'),
  },
  sdk: { about: 'the packed SDKs, against a live npm start with faults', run: testSdks },
  python: { about: 'the Python SDK in the same way (needs Python 3.10 and PyPI)', run: testPython },
  clients: {
    about: 'clients of OpenAI, Replicate and fal, by their base URL alone: npm run test:clients',
    run: testClients,
  },
  console: {
    about: 'the console in a browser, against a live npm start (needs Chromium; flags of Playwright)',
    run: testConsole,
  },
  docs: {
    about: 'every sample of the documentation, and its site in a browser (needs Chromium)',
    run: testDocs,
  },
};

/** `npm run test:clients`: all of them, or `-- openai`, `replicate` or `fal`. */
export async function testClients(args) {
  return await test(args, { only: ['clients'] });
}

function help() {
  const folders = readdirSync(path.join(root, 'acceptance/operations')).join(', ');
  return [
    'Usage: npm run test:acceptance [-- suite [flags]]',
    '',
    'Without a suite, it runs all of them but these:',
    ...Object.entries(named).map(([name, { about }]) => `  ${name.padEnd(10)} ${about}`),
    '',
    '--sdk adds the suite sdk to them.',
    `Any other word selects suites by their path: adapters, engines, openapi, ${folders}; the flags are those of Jest.`,
  ].join('\n');
}

/** The suites of charts need Helm; without it, the others run. */
async function testOthers(words) {
  const args = words.filter((word) => word !== '--sdk');
  const only = ['acceptance'];
  await ensureCompiled();
  if (words.includes('--sdk')) {
    await packSdks();
    only.push('sdk');
  }
  const helm = await findHelm();
  if (helm) return await test(args, { only, env: { HELM: helm } });
  console.error('acceptance/operations/helm is skipped: neither Helm nor Go is installed.');
  return await test([...args, '--testPathIgnorePatterns', 'acceptance/operations/helm'], { only });
}

/** `npm run test:acceptance`: a named suite with its flags, or suites of Jest. */
export async function testAcceptance(args) {
  const [name = '', ...flags] = args;
  if (Object.hasOwn(named, name)) return await named[name].run(flags);
  if (!args.includes('--help')) return await testOthers(args);
  console.log(help());
  return 0;
}
