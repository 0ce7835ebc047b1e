import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Database } from '@holdfast/db/client';

export const outputBytes = 1_000_000;

/** The models of a provider that speaks Cog's protocol and takes no time: `long` returns a text of 1 MB. */
export const benchModels = { long: 'bench-long', short: 'bench-short' } as const;

/** In this process, whose CPU is not counted as the system's. `environment`: the connection to it. */
export async function startProvider() {
  const outputs: Record<string, string> = { [benchModels.long]: prose(outputBytes) };
  const bodies = new Map(
    Object.values(benchModels).map((model) => {
      const metrics = { input_token_count: 5, output_token_count: 9 };
      const output = outputs[model] ?? 'short';
      return [model, Buffer.from(JSON.stringify({ status: 'succeeded', output, metrics }))] as const;
    }),
  );
  const server = createServer((request, response) => {
    const body = bodies.get(request.url?.split('/')[1] as 'bench-long') ?? '';
    request.resume().on('end', () => {
      response
        .writeHead(200, { 'content-type': 'application/json', 'content-length': body.length })
        .end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const chat = await startChat();
  return {
    environment: { BENCH_BASE_URL: `http://127.0.0.1:${port}`, CHAT_BASE_URL: chat.url },
    chatUrl: chat.url,
    async close() {
      await chat.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** In its own thread, so that its tokens are on time. */
async function startChat() {
  const thread = new Worker(join(import.meta.dirname, 'chatThread.ts'), { name: 'chat' });
  const [port] = (await once(thread, 'message')) as [number];
  return { url: `http://127.0.0.1:${port}/v1`, close: async () => void (await thread.terminate()) };
}

export const chatModel = 'bench-chat';

/** `max_tokens` tokens, as many a second as the prompt says. */
export async function addChatModel({ pool }: Database): Promise<void> {
  await pool.query(
    `INSERT INTO models (slug, definition, is_active)
     SELECT $1, definition || jsonb_build_object('slug', $1::text, 'providers',
       jsonb_build_array(definition -> 'providers' -> 0 || '{"connection":"chat"}')), true
     FROM models WHERE slug = 'gpt-4o-mini' ON CONFLICT DO NOTHING`,
    [chatModel],
  );
}

const terms = { input_schema: { type: 'object' }, price: { per_run: '0.01' }, estimate: {} };

/** As the setup does from files; any input is valid. */
export async function addBenchModels({ pool }: Database): Promise<void> {
  for (const slug of Object.values(benchModels)) {
    const route = { adapter: 'cog', connection: 'bench', model: slug, mode: 'sync', options: {} };
    const providers = [{ ...route, files: { as: 'url', url_lifetime_s: 3600 } }];
    await pool.query(
      `INSERT INTO models (slug, definition, is_active)
       SELECT $1, definition - '{stream,on_cancel,bytes_per_token}'::text[] || $2::jsonb, true
       FROM models WHERE slug = 'sandbox-text'`,
      [slug, JSON.stringify({ slug, providers, ...terms })],
    );
  }
}

const words = 'a light house at dawn keeps watch over grey water while ships pass and gulls cry'.split(' ');

/** Compresses about as well as prose. */
export function prose(characters: number): string {
  const parts: string[] = [];
  let state = 1;
  for (let length = 0; length < characters; length += (parts.at(-1)?.length ?? 0) + 1) {
    state = (state * 48_271) % 2_147_483_647;
    const word = words[state % words.length] ?? '';
    parts.push(state % 3 === 0 ? `${word}${state.toString(36)}` : word);
  }
  return parts.join(' ').slice(0, characters);
}
