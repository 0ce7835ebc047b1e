import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { testFolder } from '@holdfast/testkit/testFolder';
import { until } from '@holdfast/testkit/until';

const root = resolve(import.meta.dirname, '../../../../..');

export type Listener = {
  /** What it printed. */
  said(): string;
  /** The first line, from now on or before, that all of these are in. */
  line(...parts: string[]): Promise<string>;
  /** Ends it and returns its exit code; without a signal waits until it ends by itself. */
  end(signal?: NodeJS.Signals): Promise<number | null>;
};

/** A folder as `npm start` leaves it while it runs. */
export function homeOf(state: { base_url: string; api_key: string; webhooks_origin?: string }): string {
  const home = testFolder('listen');
  writeFileSync(join(home, 'local.json'), JSON.stringify(state));
  return home;
}

/** `npm run webhooks:listen` in a process of its own. */
export function startListener(args: string[], home: string, env: NodeJS.ProcessEnv = {}): Listener {
  const { NODE_OPTIONS: _options, FORCE_COLOR: _forced, ...own } = process.env;
  const main = ['--disable-warning=ExperimentalWarning', join(root, 'packages/local/src/listen.ts')];
  const child = spawn(process.execPath, [...main, ...args], {
    env: { ...own, HOLDFAST_HOME: home, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => void (text += chunk));
  const closed = once(child, 'close');
  return {
    said: () => text,
    async line(...parts) {
      const wanted = (line: string) => parts.every((part) => line.includes(part));
      return await until(`a line with ${parts.join(' and ')}`, () => {
        if (child.exitCode !== null && !text.split('\n').some(wanted)) throw new Error(text);
        return text.split('\n').find(wanted);
      });
    },
    async end(signal) {
      if (signal) child.kill(signal);
      await closed;
      return child.exitCode;
    },
  };
}
