import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { servicePort } from '@holdfast/local/launch/ports';
import type { LocalState } from '@holdfast/local/launch/stateFile';
import { until } from '@holdfast/testkit/until';

const root = resolve(import.meta.dirname, '../..');

export type LocalHoldfast = Awaited<ReturnType<typeof startLocalHoldfast>>;

/** Runs `npm start -- --ephemeral` on its own port, with its state in `home`. `openings` are more environment variables. */
export async function startLocalHoldfast(home: string, openings: Record<string, string> = {}) {
  const { DATABASE_URL: _database, REDIS_URL: _redis, NODE_OPTIONS: _options, ...env } = process.env;
  const args = ['--ephemeral', '--port', String(await servicePort())];
  const child = fork(join(root, 'packages/local/src/start.ts'), args, {
    env: { ...env, ...openings, HOLDFAST_HOME: home },
    execArgv: ['--disable-warning=ExperimentalWarning'],
    silent: true,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (text) => {
      output += String(text);
    });
  }
  const statePath = join(home, 'local.json');
  const readState = () => JSON.parse(readFileSync(statePath, 'utf8')) as LocalState;
  await until(
    'npm start is ready',
    () => {
      if (child.exitCode !== null) throw new Error(output);
      return existsSync(statePath);
    },
    120_000,
  );
  return {
    readState,
    async stop() {
      if (child.exitCode !== null) return;
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}
