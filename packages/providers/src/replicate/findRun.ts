import { isDeepStrictEqual } from 'node:util';
import type { TrustedHttp } from '@holdfast/egress/trusted';
import { z } from 'zod';
import type { Submission } from '../interface.ts';
import { type HostedPrediction, readPrediction, type Target, targetOf } from './prediction.ts';

const page = z.object({ next: z.string().nullish(), results: z.array(z.unknown()) });

/** A hundred each. Who runs more since an attempt began learns nothing of it. */
const mostPages = 20;
/** Runs of the model whose webhook the list does not tell are read one by one. */
const mostReads = 50;
/** Between our clock and theirs. */
const skewMs = 60_000;

/**
 * `absent`: not in the list. `not told`: the list can't be had just now. `unknown`: it is too long, goes on elsewhere, or
 * holds runs that may be ours.
 */
export type Found = HostedPrediction | 'absent' | 'not told' | 'unknown';

/** The run of this attempt among those of the account: the one whose webhook ends in the attempt's token. */
export async function findRun(
  http: TrustedHttp,
  baseUrl: string,
  submission: Submission,
  signal: AbortSignal,
): Promise<Found> {
  const get = async (path: string) => {
    const result = await http.request('GET', path, { timeoutMs: 15_000, signal });
    return result.ok && result.status === 200 ? result.json : undefined;
  };
  const since = new Date(submission.begunAtMs - skewMs).toISOString();
  let path: string | null = `/predictions?created_after=${encodeURIComponent(since)}`;
  const silent: HostedPrediction[] = [];
  for (let pages = 0; path !== null; pages += 1) {
    if (pages === mostPages) return 'unknown';
    const read: Page | null = readPage(await get(path));
    if (read === null) return 'not told';
    const own = read.predictions.find((one) => isCalledBackAt(one, submission.token));
    if (own) return own;
    silent.push(...read.predictions.filter((one) => mayBe(one, submission)));
    const next: string | null | undefined = read.next === null ? null : pathBelow(baseUrl, read.next);
    if (next === undefined) return 'unknown';
    path = next;
  }
  return findAmong(silent, submission, get);
}

async function findAmong(
  silent: HostedPrediction[],
  submission: Submission,
  get: (path: string) => Promise<unknown>,
): Promise<Found> {
  if (silent.length > mostReads) return 'unknown';
  let found: Found = 'absent';
  for (const { id } of silent) {
    const read = readPrediction(await get(`/predictions/${encodeURIComponent(id)}`));
    if (read && isCalledBackAt(read, submission.token)) return read;
    if (read === null || (mayBe(read, submission) && hasInput(read, submission.input))) found = 'unknown';
  }
  return found;
}

type Page = { next: string | null; predictions: HostedPrediction[] };

function readPage(json: unknown): Page | null {
  const read = page.safeParse(json).data;
  if (read === undefined) return null;
  const predictions = read.results.map(readPrediction);
  return predictions.every((one) => one !== null) ? { next: read.next ?? null, predictions } : null;
}

/** The token is the last step of the URL that we gave. */
export function isCalledBackAt({ webhook }: HostedPrediction, token: string): boolean {
  return typeof webhook === 'string' && webhook.endsWith(`/${token}`);
}

/** A run of the same model of which is not told whom it calls back. */
function mayBe({ webhook, model, version }: HostedPrediction, submission: Submission): boolean {
  if (webhook !== undefined) return false;
  const target: Target = targetOf(submission);
  return target.model !== null && model ? model === target.model : version === target.version;
}

/** Its input is ours, as far as it is told: files may have got other URLs. */
function hasInput({ input }: HostedPrediction, ours: Submission['input']): boolean {
  if (input === null || typeof input !== 'object') return true;
  const theirs = new Map(Object.entries(input));
  return Object.entries(ours).every(
    ([name, value]) => mayHoldFile(value) || theirs.size === 0 || isDeepStrictEqual(theirs.get(name), value),
  );
}

function mayHoldFile(value: unknown): boolean {
  return typeof value === 'string'
    ? /^(https?:|data:)/i.test(value)
    : value !== null && typeof value === 'object';
}

/** The path below the base URL of a link to the next page; undefined for one that leads elsewhere. */
function pathBelow(baseUrl: string, link: string): string | undefined {
  const base = new URL(baseUrl);
  const at = base.pathname.replace(/\/+$/, '');
  const url = URL.canParse(link, baseUrl) ? new URL(link, baseUrl) : null;
  const isOwn = url?.origin === base.origin && url.pathname.startsWith(`${at}/`);
  return isOwn ? url.pathname.slice(at.length) + url.search : undefined;
}
