// Posts with the webhook-sender's HTTP client and does nothing else: see bareLoop.ts.
import { parentPort, workerData } from 'node:worker_threads';
import { createEgressPolicy } from '@holdfast/egress/policy';
import { postJson } from '@holdfast/egress/post';
import type { BareLoop } from './bareLoop.ts';
import { nowMs } from './clock.ts';

const { url, bodies, headers, count } = workerData as BareLoop;
const send = parentPort?.postMessage.bind(parentPort);
const policy = createEgressPolicy({ allowCidrs: ['127.0.0.0/8'], allowHttp: true });

async function post(body: string): Promise<void> {
  const result = await postJson({
    url,
    body,
    headers,
    policy,
    timeoutMs: 30_000,
    maxResponseBytes: 65_536,
  });
  if (!result.ok || result.status !== 204) throw new Error(`a post failed: ${JSON.stringify(result)}`);
}

async function loop(atOnce: number): Promise<number> {
  let left = count;
  const one = async () => {
    while (left > 0) await post(bodies[left-- % bodies.length] ?? '');
  };
  const startMs = nowMs();
  await Promise.all(Array.from({ length: atOnce }, one));
  return (nowMs() - startMs) / 1000;
}

// Warmed up like the service it is compared with.
const warm = loop(8).then(() => loop(8));
parentPort?.on('message', (atOnce: number) => void warm.then(() => loop(atOnce)).then(send));
