import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { servicePort } from '@holdfast/local/launch/ports';
import { until } from '@holdfast/testkit/until';

/** Its first start installs it. */
const readyWithinMs = 600_000;

export type Peer = { url: string; apiKey: string; close(): Promise<void> };

/** LiteLLM's proxy, before a server of OpenAI's protocol. Null, with the reason, where it can't be had. */
export async function startLitellm(upstream: string, say: (line: string) => void): Promise<Peer | null> {
  const port = await servicePort();
  // In a group of its own: it starts its workers itself.
  const child = spawn(join(import.meta.dirname, 'litellm'), [String(port), upstream], {
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let hasEnded = false;
  child.once('exit', () => {
    hasEnded = true;
  });
  const kill = () => void (!hasEnded && child.pid && process.kill(-child.pid, 'SIGKILL'));
  process.once('exit', kill);
  let printed = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    printed = (printed + text).slice(-2000);
  });
  const url = `http://127.0.0.1:${port}`;
  const isReady = async () => (await fetch(`${url}/health/readiness`).catch(() => null))?.ok === true;
  say('starting LiteLLM');
  await until('LiteLLM starts', async () => hasEnded || (await isReady()), readyWithinMs);
  if (hasEnded) {
    say(`LiteLLM is not measured: ${printed.trim().split('\n').at(-1)}`);
    return null;
  }
  return {
    url,
    apiKey: 'sk-peer',
    async close() {
      const ended = once(child, 'close');
      kill();
      await ended;
      process.off('exit', kill);
    },
  };
}
