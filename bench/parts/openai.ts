import { Agent, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@holdfast/testkit/until';
import { accounted, type Bench, type Figures, type Part, untilDelivered } from '../bench.ts';
import type { Created } from '../load/threads.ts';
import { startLitellm } from '../peers/litellm.ts';
import { addChatModel, chatModel } from '../provider.ts';
import { latencies, nowMs, percentile, perSecond, round } from '../statistics.ts';

const loneChats = 200;
const ratePerS = 200;
const clients = 64;
const warmUps = 20;

/** A chat; latency counts from `dueAtMs`. */
type Send = (dueAtMs: number) => Promise<Created>;

/** Chats with a provider that answers at once: directly, by OpenAI's API, and by LiteLLM. No two of them are equal. */
export const openai: Part = {
  about: `chat completions by OpenAI's API: 1 client, ${ratePerS}/s, and ${clients} clients beside LiteLLM (PyPI)`,
  async run(bench) {
    await addChatModel(bench.db);
    const agent = new Agent({ keepAlive: true });
    const direct: Send = (dueAtMs) => chat({ url: bench.chatUrl, agent, key: 'none' }, dueAtMs);
    const face = { url: `${bench.state.base_url}/v1/openai`, agent, key: bench.apiKey };
    const through: Send = (dueAtMs) => chat(face, dueAtMs);
    await until('the model of the bench', () => through(nowMs()).catch(() => null));
    const figures = await measure(bench, direct, through);
    const peer = await startLitellm(bench.chatUrl, bench.say);
    try {
      if (peer)
        Object.assign(
          figures,
          await measurePeer(bench, (dueAtMs) => chat({ ...peer, agent, key: peer.apiKey }, dueAtMs)),
        );
    } finally {
      await peer?.close();
      agent.destroy();
    }
    return figures;
  },
};

async function measure(bench: Bench, direct: Send, through: Send): Promise<Figures> {
  const { seconds } = bench.flags;
  const delivered = (name: string, run: () => Promise<Created[]>) =>
    accounted(bench, name, async () => {
      const created = await run();
      await untilDelivered(bench, created);
      return created;
    });
  for (const send of [direct, through]) await inTurn(send, (done) => done === warmUps);
  const directly = await inTurn(direct, (done) => done === loneChats);
  const one = await delivered('openai_one', () => inTurn(through, (done) => done === loneChats));
  const directRate = await atRate(direct, seconds);
  const rate = await delivered('openai_rate', () => atRate(through, seconds));
  const many = await delivered('openai_many', () => atOnce(through, seconds));
  const added = (to: Created[], of: Created[], share: number) =>
    round(percentile(to.map(latencyOf), share) - percentile(of.map(latencyOf), 0.5));
  return {
    openai_added_p50_ms: added(one, directly, 0.5),
    openai_rate_added_p50_ms: added(rate, directRate, 0.5),
    openai_rate_added_p99_ms: added(rate, directRate, 0.99),
    ...latencies('openai_direct', directly.map(latencyOf)),
    ...latencies('openai_one', one.map(latencyOf)),
    ...latencies('openai_many', many.map(latencyOf)),
    openai_many_per_s: round(perSecond(many)),
  };
}

async function measurePeer({ flags, say }: Bench, send: Send): Promise<Figures> {
  await inTurn(send, (done) => done === warmUps);
  const one = await inTurn(send, (done) => done === loneChats);
  say(`LiteLLM with ${clients} clients`);
  const many = await atOnce(send, flags.seconds);
  return { ...latencies('litellm_one', one.map(latencyOf)), litellm_many_per_s: round(perSecond(many)) };
}

async function inTurn(send: Send, isDone: (done: number) => boolean): Promise<Created[]> {
  const created: Created[] = [];
  while (!isDone(created.length)) created.push(await send(nowMs()));
  return created;
}

async function atRate(send: Send, seconds: number): Promise<Created[]> {
  const startMs = nowMs();
  const due = Array.from({ length: ratePerS * seconds }, (_, nth) => startMs + (nth / ratePerS) * 1000);
  return await Promise.all(
    due.map(async (dueAtMs) => {
      await sleep(Math.max(0, dueAtMs - nowMs()));
      return await send(dueAtMs);
    }),
  );
}

async function atOnce(send: Send, seconds: number): Promise<Created[]> {
  const endMs = nowMs() + seconds * 1000;
  const loops = Array.from({ length: clients }, () => inTurn(send, () => nowMs() > endMs));
  return (await Promise.all(loops)).flat();
}

const latencyOf = ({ latencyMs }: Created) => latencyMs;

let chats = 0;

async function chat(
  { url, agent, key }: { url: string; agent: Agent; key: string },
  dueAtMs: number,
): Promise<Created> {
  const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${key}` };
  const messages = [{ role: 'user', content: `${chats++}` }];
  const { body, id } = await new Promise<{ body: Promise<unknown>; id: string }>((resolve, reject) => {
    request(`${url}/chat/completions`, { method: 'POST', agent, headers }, (response) =>
      resolve({ body: json(response), id: String(response.headers['holdfast-execution']) }),
    )
      .on('error', reject)
      .end(JSON.stringify({ model: chatModel, messages, max_tokens: 1 }));
  });
  const { choices } = (await body) as { choices?: unknown };
  if (!Array.isArray(choices)) throw new Error(`a chat failed: ${JSON.stringify(await body)}`);
  return { id, sentAtMs: dueAtMs, latencyMs: nowMs() - dueAtMs, keyIndex: 0 };
}
