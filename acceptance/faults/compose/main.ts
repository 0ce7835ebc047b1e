import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { UsageError } from '@holdfast/kit/flags';
import { startConsole } from '@holdfast/local/launch/console';
import { outputOf } from '@holdfast/testkit/command';
import { startChecks } from './checks.ts';
import { type ComposeTestConfig, readConfig } from './config.ts';
import { GivenUp, type TestContext } from './context.ts';
import { parseFlags, usage } from './flags.ts';
import { freshClone } from './freshClone.ts';
import { operate } from './operating.ts';
import { openProject } from './project.ts';
import { remove } from './removal.ts';
import { chooseSettings } from './settings.ts';
import { scale, startUp } from './startup.ts';
import { followTutorial } from './tutorial.ts';
import { runUnderFaults } from './underFaults.ts';

// `npm run test:acceptance -- compose`: builds, uses, breaks and removes the stack of docker-compose.yml.

const root = resolve(import.meta.dirname, '../../..');
const say = startConsole();

/** An error that is printed as one line, without a stack. */
class UserError extends Error {}

/** Aborts at the first signal, which ends docker's commands and removes the stack. */
function interruption(): AbortSignal {
  const aborting = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => {
      if (!aborting.signal.aborted) say(`ended by ${signal}: removing the stack`);
      aborting.abort(new Error(`ended by ${signal}`));
    });
  return aborting.signal;
}

async function runParts(context: TestContext, executions: number): Promise<void> {
  await startUp(context);
  await followTutorial(context);
  await operate(context);
  await scale(context);
  await runUnderFaults(context, executions);
}

/** @throws UserError when the setup fails, or Docker does not respond */
async function prepare({ setup, dockerEnvironment }: ComposeTestConfig, signal: AbortSignal): Promise<void> {
  const failed = (what: string) => (error: Error) => {
    throw new UserError(`${what}: ${error.message}`);
  };
  if (setup) {
    say('running COMPOSE_TEST_SETUP');
    const options = { cwd: root, env: process.env, signal };
    await outputOf('sh', ['-c', setup], options).catch(failed('COMPOSE_TEST_SETUP'));
  }
  const docker = outputOf('docker', ['compose', 'ls'], { env: dockerEnvironment, signal });
  await docker.catch(failed('Docker with Compose is needed, and does not respond'));
}

/** Returns the exit code. */
async function testCompose(executions: number): Promise<number> {
  const config = readConfig();
  const { dockerEnvironment } = config;
  const signal = interruption();
  const { check, counts } = startChecks(say);
  await prepare(config, signal);
  const name = `holdfast-test-${randomBytes(4).toString('hex')}`;
  const settings = await chooseSettings(name);
  const environment = { ...dockerEnvironment, ...settings.environment };
  const folder = await freshClone(root, dockerEnvironment);
  const options = { cwd: folder, env: environment };
  say(`project ${name}, API at ${settings.baseUrl}, copy of this tree in ${folder}`);
  const project = openProject(name, { ...options, signal });
  try {
    await runParts({ project, settings, environment, check, say, signal }, executions);
  } catch (error) {
    if (!(error instanceof GivenUp)) throw error;
  } finally {
    const own = openProject(name, options);
    if (counts.failed > 0 && !signal.aborted) process.stdout.write(await own.lastLogs());
    await check('everything is removed', () => remove(own));
  }
  process.stdout.write(`\n${counts.passed} passed, ${counts.failed} failed\n`);
  return signal.aborted ? 130 : counts.failed === 0 ? 0 : 1;
}

async function main(): Promise<number> {
  const { executions, help } = parseFlags(process.argv.slice(2));
  if (!help) return await testCompose(executions);
  process.stdout.write(`${usage}\n`);
  return 0;
}

try {
  process.exit(await main());
} catch (error) {
  const isClear = error instanceof UsageError || error instanceof UserError;
  process.stderr.write(`${isClear ? error.message : String((error as Error).stack)}\n`);
  process.exit(error instanceof UsageError ? 2 : 1);
}
