import { Agent, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { accounted, type Bench, type Part, untilDelivered } from '../bench.ts';
import type { Created } from '../load/threads.ts';
import { latencies, nowMs, perSecond, round } from '../statistics.ts';

const loneExecutions = 100;
const clients = 64;
const warmUps = 20;

/** Clients that get the result in the response to their create (`Prefer: wait`). */
export const wait: Part = {
  about: `create to result in one response, by 1 client and by ${clients}`,
  async run(bench) {
    const agent = new Agent({ keepAlive: true, maxSockets: clients });
    const repeat = async (isDone: (done: number) => boolean) => {
      const created: Created[] = [];
      while (!isDone(created.length)) created.push(await createAndWait(bench, agent));
      return created;
    };
    const delivered = (name: string, run: () => Promise<Created[]>) =>
      accounted(bench, name, async () => {
        const created = await run();
        await untilDelivered(bench, created);
        return created;
      });
    await repeat((done) => done === warmUps);
    const one = await delivered('wait_one', () => repeat((done) => done === loneExecutions));
    const endMs = nowMs() + bench.flags.seconds * 1000;
    const many = await delivered('wait_many', async () => {
      const loops = Array.from({ length: clients }, () => repeat(() => nowMs() > endMs));
      return (await Promise.all(loops)).flat();
    });
    agent.destroy();
    return {
      ...latencies(
        'wait_one',
        one.map(({ latencyMs }) => latencyMs),
      ),
      ...latencies(
        'wait_many',
        many.map(({ latencyMs }) => latencyMs),
      ),
      wait_many_per_s: round(perSecond(many)),
    };
  },
};

async function createAndWait({ state, apiKey }: Bench, agent: Agent): Promise<Created> {
  const sentAtMs = nowMs();
  const headers = {
    Authorization: `Bearer ${apiKey}`,
    'Content-Type': 'application/json',
    Prefer: 'wait=30',
  };
  const body = await new Promise<unknown>((resolve, reject) => {
    const sent = request(`${state.base_url}/v1/executions`, { method: 'POST', agent, headers }, (response) =>
      resolve(json(response)),
    );
    sent.on('error', reject);
    sent.end('{"model":"sandbox-text","input":{"prompt":"wait"}}');
  });
  const { id, status } = body as { id: string; status: string };
  if (status !== 'COMPLETED') throw new Error(`an awaited execution is ${status}: ${JSON.stringify(body)}`);
  return { id, sentAtMs, latencyMs: nowMs() - sentAtMs, keyIndex: 0 };
}
