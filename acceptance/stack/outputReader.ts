import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { readEvents, type ServedEvent } from '@holdfast/api-gateway/testing/readEvents';

/** How a reader asks for the stream: by an API key, or by the token in the URL. */
export type StreamAddress = { url: string; apiKey?: string };

export type Done = {
  status: string;
  usage: { output_tokens: number } | null;
  cost: string | null;
  finish_reason: string | null;
  error: { code: string } | null;
};

/** What a reader has received: the events by their numbers, without the last, and how often it was cut. */
export type ReadOutput = { events: ServedEvent[]; done: Done; doneId: number; cuts: number };

/**
 * Reads a stream to its end over cut connections and gateways that are not there. It disconnects at random, and then resumes
 * where it was, or reads an earlier part again. @throws when an event has another number than the next, or was another before
 */
export async function readOverCuts(address: StreamAddress): Promise<ReadOutput> {
  const events: ServedEvent[] = [];
  let cuts = 0;
  for (;;) {
    const from = randomInt(3) > 0 ? events.length : randomInt(events.length + 1);
    const last = await readUntilCut(address, from, randomInt(2) === 0 ? randomInt(1, 40) : null, events);
    if (last !== null) return { events, done: last.data as Done, doneId: Number(last.id), cuts };
    cuts += 1;
  }
}

/** Adds what is new to `known`. Returns the event `done`; null: the connection was cut. */
async function readUntilCut(
  address: StreamAddress,
  from: number,
  cutAfter: number | null,
  known: ServedEvent[],
): Promise<ServedEvent | null> {
  const leaving = new AbortController();
  let position = from;
  try {
    const response = await requestStream(address, from, leaving.signal);
    if (response.status >= 500) throw new Error(`${response.status}`);
    if (response.status !== 200) throw new Refused(`${response.status} ${await response.text()}`);
    for await (const event of readEvents(response)) {
      position += 1;
      expectNext(event, position, known);
      if (event.event === 'done') return event;
      if (cutAfter !== null && position - from >= cutAfter) break;
    }
  } catch (error) {
    if (error instanceof Refused) throw error;
    await delay(50);
  } finally {
    leaving.abort();
  }
  return null;
}

class Refused extends Error {}

function expectNext(event: ServedEvent, position: number, known: ServedEvent[]): void {
  if (Number(event.id) !== position) throw new Refused(`event ${event.id} came instead of ${position}`);
  const before = known[position - 1];
  if (event.event === 'done') {
    if (known.length >= position) throw new Refused(`the stream ended at ${position} of ${known.length}`);
  } else if (before === undefined) known.push(event);
  else if (JSON.stringify(before) !== JSON.stringify(event))
    throw new Refused(`event ${position} was ${JSON.stringify(before)} and is ${JSON.stringify(event)}`);
}

/** The two ways to resume, in turn. */
export async function requestStream(
  { url, apiKey }: StreamAddress,
  from: number,
  signal?: AbortSignal,
): Promise<Response> {
  const target = new URL(url);
  const headers: Record<string, string> = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
  if (from % 2 === 0) headers['last-event-id'] = String(from);
  else target.searchParams.set('starting_after', String(from));
  return await fetch(target, { headers, ...(signal && { signal }) });
}

/** The text of every attempt that showed any, the last of which is the output. */
export function attemptTexts(events: readonly ServedEvent[]): string[] {
  return events.reduce<string[]>((texts, { event, data }) => {
    if (event === 'reset') texts.push('');
    if (event === 'output') texts.push(`${texts.pop() ?? ''}${(data as { delta: string }).delta}`);
    return texts;
  }, []);
}
