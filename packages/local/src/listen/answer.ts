import type { IncomingHttpHeaders } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { reasonOf } from '@holdfast/kit/within';
import type { ListenFlags } from './flags.ts';

export type Taken = { body: Buffer; headers: IncomingHttpHeaders };
export type Answer = { status: number; headers: Record<string, string>; body: string; remark: string | null };

const forwardTimeoutMs = 30_000;

/** Headers of one connection, not forwarded. */
const ownHeaders = new Set(['host', 'connection', 'content-length', 'transfer-encoding', 'expect']);

/** The response to an authentic delivery, by the flags. Rejects with an AbortError when `signal` aborts. */
export async function answerTo(taken: Taken, flags: ListenFlags, signal: AbortSignal): Promise<Answer> {
  if (flags.slowMs > 0) await delay(flags.slowMs, undefined, { signal });
  if (flags.forwardTo) return await forwarded(taken, flags.forwardTo);
  return { status: flags.failWith ?? 200, headers: {}, body: '', remark: null };
}

/** Forwards it unchanged and returns that response; 502 when there was none. */
async function forwarded({ body, headers }: Taken, url: URL): Promise<Answer> {
  const passed = Object.entries(headers).filter(([name]) => !ownHeaders.has(name));
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: passed.map(([name, value]): [string, string] => [name, String(value)]),
      body: new Uint8Array(body),
      redirect: 'manual',
      signal: AbortSignal.timeout(forwardTimeoutMs),
    });
    const kept = ['content-type', 'retry-after'].flatMap((name): [string, string][] => {
      const value = answer.headers.get(name);
      return value === null ? [] : [[name, value]];
    });
    return {
      status: answer.status,
      headers: Object.fromEntries(kept),
      body: await answer.text(),
      remark: null,
    };
  } catch (error) {
    const reason = error instanceof Error && error.cause ? error.cause : error;
    return { status: 502, headers: {}, body: '', remark: `${url.href}: ${reasonOf(reason)}` };
  }
}
