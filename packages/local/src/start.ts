import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { applyRoles } from '@holdfast/db/roles/roles';
import { prepareSchema, seed } from './database.ts';
import { followActivity } from './launch/activity.ts';
import { startConsole } from './launch/console.ts';
import { dataFolders, watchSpace } from './launch/disk.ts';
import { buildDocumentation } from './launch/documentation.ts';
import { type Flags, parseFlags, usage } from './launch/flags.ts';
import { launch } from './launch/launch.ts';
import { exitWith } from './launch/launchError.ts';
import { killAll, type Running, shutDown } from './launch/running.ts';

const stopWithinMs = 14_000;
// npm forwards a Ctrl-C that the terminal has already sent: that is no second one.
const sameKeyPressMs = 500;

const root = resolve(import.meta.dirname, '../../..');

/** Resolves at the first signal, or when the parent process is gone; `onSecond` runs at the next signal. */
function whenAskedToStop(onSecond: () => void): Promise<string> {
  let askedAt: number | undefined;
  return new Promise((resolve) => {
    const ask = (reason: string) => {
      if (askedAt === undefined) resolve(reason);
      else if (performance.now() - askedAt > sameKeyPressMs) onSecond();
      askedAt ??= performance.now();
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => ask(signal));
    process.on('disconnect', () => ask('the end of its parent'));
  });
}

async function stop(running: Running, starting: Promise<unknown>): Promise<void> {
  const hardEnd = delay(stopWithinMs).then(() => killAll(running));
  const softEnd = starting.then(() => shutDown(running));
  await Promise.race([softEnd, hardEnd]);
}

async function runUntilStopped(flags: Flags): Promise<number> {
  const say = startConsole();
  const running: Running = { services: [] };
  const aborting = new AbortController();
  const killed = () => {
    killAll(running);
    process.exit(130);
  };
  const mainOf = (name: string) => join(root, 'services', name, 'src/main.ts');
  const options = {
    root,
    flags,
    env: process.env,
    migrate: prepareSchema,
    setRoles: applyRoles,
    seed,
    say,
    mainOf,
  };
  const starting = launch(options, running, aborting.signal).then(
    (text) => ({ text }),
    (error: unknown) => ({ error }),
  );
  const stopSignal = whenAskedToStop(killed);
  const first = await Promise.race([starting, stopSignal]);
  const ends: (() => void)[] = [];
  if (typeof first === 'object' && 'text' in first) {
    process.stdout.write(first.text);
    ends.push(buildDocumentation(root, say));
    if (running.home) ends.push(watchSpace(dataFolders(running.home), say));
    const logs = running.services.map(({ logPath }) => logPath);
    if (!flags.quiet) ends.push(followActivity(logs, say));
  }
  if (typeof first === 'object' && 'error' in first) {
    await stop(running, starting);
    throw first.error;
  }
  say(`stopping after ${await stopSignal}; once more to end at once`);
  for (const end of ends) end();
  aborting.abort();
  await stop(running, starting);
  say('everything has ended');
  return 0;
}

async function main(): Promise<number> {
  const flags = parseFlags(process.argv.slice(2), process.env);
  if (flags.help) {
    process.stdout.write(`${usage}\n`);
    return 0;
  }
  return await runUntilStopped(flags);
}

await exitWith(main);
