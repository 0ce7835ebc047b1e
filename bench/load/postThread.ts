// Posts with the webhook-sender's HTTP client: the thread of openBareLoops in threads.ts.
import { parentPort, workerData } from 'node:worker_threads';
import { createEgressPolicy } from '@holdfast/egress/policy';
import { postJson } from '@holdfast/egress/post';
import { nowMs } from '../statistics.ts';
import type { Posts } from './threads.ts';

const { url, bodies, headers, count } = workerData as Posts;
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

async function postAll(loops: number): Promise<number> {
  let left = count;
  const loop = async () => {
    while (left > 0) await post(bodies[left-- % bodies.length] ?? '');
  };
  const startMs = nowMs();
  await Promise.all(Array.from({ length: loops }, loop));
  return (nowMs() - startMs) / 1000;
}

// Warmed up like the service it is compared with.
const warm = postAll(8).then(() => postAll(8));
parentPort?.on('message', (loops: number) => void warm.then(() => postAll(loops)).then(send));
