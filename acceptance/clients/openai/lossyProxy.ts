import { once } from 'node:events';
import { type IncomingMessage, type ServerResponse, request as send } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { startProxy } from '../proxy.ts';

/** What becomes of a response. In `half` and `middle`, the client gets a part of it. */
const losses = ['while it waits', 'at its head', 'after it was read', 'half', 'middle'] as const;
type Loss = (typeof losses)[number];

/**
 * A proxy that loses most responses to first tries, some to second ones, and none to third ones: those are the last that
 * OpenAI's clients send. It has always sent the whole request on before.
 */
export async function startLossyProxy(target: string) {
  const lost = new Map<Loss, number>();

  function lossOf({ headers }: IncomingMessage, isStreamed: boolean): Loss | null {
    const tries = Number(headers['x-stainless-retry-count']);
    if (Math.random() > (tries === 0 ? 0.8 : tries === 1 ? 0.3 : 0)) return null;
    // The client for Node neither repeats a request whose response breaks off in the middle, nor says so when its user does.
    const isPython = headers['user-agent']?.includes('Python') === true;
    const possible = losses.filter((loss) =>
      loss === 'half' ? isPython && !isStreamed : loss !== 'middle' || isStreamed,
    );
    return possible[Math.floor(Math.random() * possible.length)] ?? null;
  }

  async function proxy(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const { method, headers, url = '/' } = incoming;
    const loss = lossOf(incoming, body.includes('"stream":true') || body.includes('"stream": true'));
    if (loss) lost.set(loss, (lost.get(loss) ?? 0) + 1);
    const outgoing = send(new URL(url, target), { method, headers: { ...headers, connection: 'close' } });
    response.on('close', () => outgoing.destroy());
    outgoing.on('error', () => response.destroy());
    const responding = once(outgoing, 'response') as Promise<[IncomingMessage]>;
    responding.catch(() => {});
    await new Promise<void>((resolve) => outgoing.end(body, resolve));
    if (loss === 'while it waits') {
      await delay(Math.random() * 60);
      return cut(response, outgoing);
    }
    const [from] = await responding;
    if (loss === 'at its head') return cut(response, outgoing);
    if (loss === 'after it was read' || loss === 'half') {
      const whole: Buffer[] = [];
      for await (const chunk of from) whole.push(chunk as Buffer);
      if (loss === 'after it was read') return cut(response, outgoing);
      const all = Buffer.concat(whole);
      response.writeHead(from.statusCode ?? 502, { ...from.headers, 'content-length': all.length });
      response.write(all.subarray(0, all.length / 2), () => response.destroy());
      return;
    }
    response.writeHead(from.statusCode ?? 502, from.headers);
    let passed = '';
    for await (const chunk of from) {
      response.write(chunk);
      passed += String(chunk);
      if (loss === 'middle' && passed.includes('data: ') && !passed.includes('[DONE]'))
        return cut(response, outgoing);
    }
    response.end();
  }

  /** `lost`: how often each happened. */
  return { ...(await startProxy(proxy)), lost };
}

function cut(response: ServerResponse, outgoing: { destroy(): unknown }): void {
  outgoing.destroy();
  response.destroy();
}
