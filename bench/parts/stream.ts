import { Agent, type IncomingMessage, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@holdfast/testkit/until';
import { type Bench, type Figures, type Part, watched } from '../bench.ts';
import { cpuPerExecution, readCpu, systemCpu } from '../cpu.ts';
import { readMemory, withPeakMemory } from '../memory.ts';
import { createOrganizations } from '../organizations.ts';
import { addChatModel, chatModel } from '../provider.ts';
import { nowMs, percentile, round } from '../statistics.ts';

const tokensPerS = 50;
const few = 20;
const many = [200, 500];
/** One organization gets half of a dispatcher's runs. */
const organizations = 4;
const openWithinS = 5;
const quietS = 20;
const slowTokensPerS = 2;

/** `firstMs`: from the first request to the first token. `deltasMs`: from the sending of each to its arrival. */
type ReadStream = { firstMs: number; deltasMs: number[] };
type Reader = (tokens: number, perS: number) => Promise<ReadStream>;

/** Tokens of a provider, read through the services and directly. */
export const stream: Part = {
  about: `streams of ${tokensPerS} tokens/s: what is added to each token, ${many.join(' and ')} at once, memory of 500`,
  isCold: true,
  async run(bench) {
    await addChatModel(bench.db);
    const keys = (await createOrganizations(bench.state, organizations, () => [])).map(
      ({ apiKey }) => apiKey,
    );
    const agent = new Agent({ keepAlive: true });
    const direct: Reader = (tokens, perS) => readDirectly(bench.chatUrl, agent, tokens, perS);
    let next = 0;
    const through: Reader = (tokens, perS) =>
      readThrough(bench.state.base_url, keys[next++ % keys.length] ?? '', agent, tokens, perS);
    const tokens = tokensPerS * bench.flags.seconds;
    await until('the model of the bench', () => through(1, tokensPerS).catch(() => null));
    const figures = await memoryOf(bench, through);
    await readMany(few, 2, through, tokens);
    Object.assign(
      figures,
      added(await readMany(few, 2, direct, tokens), await readMany(few, 2, through, tokens)),
    );
    for (const count of many) Object.assign(figures, await atOnce(bench, count, through));
    const enough = many.filter(
      (count) =>
        figures[`streams_${count}_whole`] === count && Number(figures[`streams_${count}_first_p50_ms`]) < 200,
    );
    agent.destroy();
    return { ...figures, streams_at_once: Math.max(0, ...enough) };
  },
};

/** Streams begin within some seconds. A stream that was cut is missing. */
async function readMany(count: number, withinS: number, read: Reader, tokens: number, perS = tokensPerS) {
  const all = await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      await sleep((1000 * withinS * index) / count);
      return await read(tokens, perS).catch(() => null);
    }),
  );
  return all.filter((one) => one !== null && one.deltasMs.length === tokens) as ReadStream[];
}

function added(direct: ReadStream[], through: ReadStream[]): Figures {
  const figures: Figures = {};
  for (const [name, share] of Object.entries({ p50: 0.5, p99: 0.99 })) {
    const of = (read: ReadStream[], kind: 'firstMs' | 'deltasMs') =>
      percentile(
        read.flatMap((one) => one[kind]),
        share,
      );
    figures[`stream_first_added_${name}_ms`] = round(of(through, 'firstMs') - of(direct, 'firstMs'));
    figures[`stream_delta_added_${name}_ms`] = round(of(through, 'deltasMs') - of(direct, 'deltasMs'));
  }
  return figures;
}

async function atOnce(bench: Bench, count: number, read: Reader): Promise<Figures> {
  const name = `streams_${count}`;
  const tokens = tokensPerS * (openWithinS + bench.flags.seconds);
  const before = readCpu();
  const { result, peak } = await withPeakMemory(bench.state, () =>
    watched(bench, name, () => readMany(count, openWithinS, read, tokens)),
  );
  const times = cpuPerExecution(before, readCpu(), (count * tokens) / 1000);
  bench.cpu[name] = times;
  bench.memory[name] = peak;
  const firstsMs = result.map(({ firstMs }) => firstMs);
  const deltasMs = result.flatMap((one) => one.deltasMs);
  return {
    [`${name}_whole`]: result.length,
    [`${name}_first_p50_ms`]: round(percentile(firstsMs, 0.5)),
    [`${name}_first_p99_ms`]: round(percentile(firstsMs, 0.99)),
    [`${name}_delta_p50_ms`]: round(percentile(deltasMs, 0.5)),
    [`${name}_delta_p99_ms`]: round(percentile(deltasMs, 0.99)),
    [`${name}_cpu_ms_per_1000_tokens`]: round(systemCpu(times).ms),
  };
}

async function memoryOf(bench: Bench, read: Reader): Promise<Figures> {
  await sleep(quietS * 1000);
  const idle = readMemory(bench.state)?.['total'] ?? Number.NaN;
  const tokens = slowTokensPerS * (openWithinS + bench.flags.seconds);
  const { result, peak } = await withPeakMemory(bench.state, () =>
    readMany(500, openWithinS, read, tokens, slowTokensPerS),
  );
  bench.memory['streams_open'] = peak;
  return {
    streams_open: result.length,
    stream_memory_over_idle_mib: round((peak['total'] ?? Number.NaN) - idle),
  };
}

async function readDirectly(url: string, agent: Agent, tokens: number, perS: number): Promise<ReadStream> {
  const sentAtMs = nowMs();
  const body = { messages: [{ content: String(perS) }], max_tokens: tokens, stream: true };
  const response = await send(`${url}/chat/completions`, agent, body);
  return await readTokens(response, sentAtMs, (data) =>
    data === '[DONE]'
      ? ''
      : ((JSON.parse(data) as { choices: { delta: { content?: string } }[] }).choices[0]?.delta.content ??
        ''),
  );
}

async function readThrough(
  baseUrl: string,
  key: string,
  agent: Agent,
  tokens: number,
  perS: number,
): Promise<ReadStream> {
  const sentAtMs = nowMs();
  const body = { model: chatModel, input: { prompt: String(perS), max_tokens: tokens }, stream: true };
  const { urls } = (await json(await send(`${baseUrl}/v1/executions`, agent, body, key))) as {
    urls: { stream: string };
  };
  const response = await send(urls.stream, agent);
  return await readTokens(response, sentAtMs, (data) => (JSON.parse(data) as { delta?: string }).delta ?? '');
}

function send(url: string, agent: Agent, body?: object, key?: string): Promise<IncomingMessage> {
  const headers = { 'Content-Type': 'application/json', ...(key && { Authorization: `Bearer ${key}` }) };
  return new Promise((resolve, reject) => {
    request(url, { method: body ? 'POST' : 'GET', agent, headers }, resolve)
      .on('error', reject)
      .end(body && JSON.stringify(body));
  });
}

/** `textOf` returns the tokens in the data of an event: the times when they were sent, each with a space. */
async function readTokens(
  response: IncomingMessage,
  sentAtMs: number,
  textOf: (data: string) => string,
): Promise<ReadStream> {
  const read: ReadStream = { firstMs: Number.NaN, deltasMs: [] };
  let rest = '';
  let token = '';
  response.setEncoding('utf8');
  for await (const text of response as AsyncIterable<string>) {
    const atMs = nowMs();
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line.startsWith('data: ')) token += textOf(line.slice(6));
    const times = token.split(' ');
    token = times.pop() ?? '';
    if (times.length > 0 && read.deltasMs.length === 0) read.firstMs = atMs - sentAtMs;
    for (const time of times) read.deltasMs.push(atMs - Number(time));
  }
  return read;
}
