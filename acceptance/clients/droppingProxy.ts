import { once } from 'node:events';
import { Agent, type IncomingMessage, type ServerResponse, request as send } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { startProxy } from './proxy.ts';

/** When the connections of a create are cut. The last kind is noticed of clients that keep theirs open. */
const losses = ['while it waits', 'at its head', 'after it was read'] as const;

export type Drops = {
  /** How many of the first responses to each create are lost. */
  drops: number;
  /** How many kinds of losses there are; each create begins with another one. */
  kinds?: number;
  isCreate(request: IncomingMessage): boolean;
};

/** A proxy that drops responses to creates, which it has sent on whole. */
export async function startDroppingProxy(target: string, { drops, kinds = losses.length, isCreate }: Drops) {
  const firstLoss = new Map<string, number>();
  const tries = new Map<string, number>();
  const lost = new Map<string, number>();
  const agents: Agent[] = [];

  async function proxy(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(incoming);
    const { method, headers, url = '/' } = incoming;
    const text = body.toString();
    const number = tries.get(text) ?? 0;
    tries.set(text, number + 1);
    const isDropped = isCreate(incoming) && number < drops;
    if (isDropped && number === 0) firstLoss.set(text, firstLoss.size);
    const loss = isDropped ? losses[(number + (firstLoss.get(text) ?? 0)) % kinds] : undefined;
    if (loss) lost.set(loss, (lost.get(loss) ?? 0) + 1);
    // No other request uses the connection that is cut.
    const agent = new Agent({ keepAlive: true });
    agents.push(agent);
    const outgoing = send(new URL(url, target), { method, headers, agent });
    outgoing.on('error', () => response.destroy());
    const responding = once(outgoing, 'response') as Promise<[IncomingMessage]>;
    responding.catch(() => {});
    await new Promise<void>((resolve) => outgoing.end(body, resolve));
    const cut = () => {
      outgoing.socket?.destroy();
      response.destroy();
    };
    if (loss === 'while it waits') {
      await delay(Math.random() * 60);
      return cut();
    }
    const [from] = await responding;
    if (loss === 'at its head') return cut();
    const whole = await buffer(from);
    if (loss === 'after it was read') return cut();
    const { 'transfer-encoding': _encoding, ...rest } = from.headers;
    response.writeHead(from.statusCode ?? 502, { ...rest, 'content-length': whole.length }).end(whole);
  }

  const { url, close } = await startProxy(proxy);
  return {
    url,
    /** How often each happened. */
    lost,
    async close() {
      for (const agent of agents) agent.destroy();
      await close();
    },
  };
}
