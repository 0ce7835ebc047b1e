import { readFlags, UsageError } from '@holdfast/kit/flags';

export type ListenFlags = {
  events: string[];
  verbose: boolean;
  failWith: number | null;
  slowMs: number;
  forwardTo: URL | null;
  help: boolean;
};

export const usage = `Usage: npm run webhooks:listen [-- flags]

Prints the webhooks of the npm start in this folder as they arrive, and checks their signatures.
It registers an endpoint of the demo organization, and removes it at Ctrl-C.

  --events LIST   the event types, comma-separated (default execution.*,endpoint.*)
  --verbose       print their bodies too
  --forward URL   forward each to your own server on this machine, and return its response
  --fail STATUS   respond with this status, to see retries; ten failures in a row deactivate the endpoint
  --slow SECONDS  delay each response
  --help          this text

A line shows: time, verified or not, type, execution, model, status, cost, response, age of the event.`;

/** @throws UsageError */
export function parseListenFlags(args: string[]): ListenFlags {
  const { events, verbose, fail, slow, forward, help } = readFlags(
    args,
    options,
    'npm run webhooks:listen -- --help',
  );
  if (fail !== undefined && forward !== undefined)
    throw new UsageError('--fail and --forward cannot be combined.');
  return {
    events: (events ?? 'execution.*,endpoint.*').split(',').map((type) => type.trim()),
    verbose: verbose ?? false,
    failWith: fail === undefined ? null : failingStatus(fail),
    slowMs: slow === undefined ? 0 : secondsOf(slow) * 1000,
    forwardTo: forward === undefined ? null : loopbackUrl(forward),
    help: help ?? false,
  };
}

const options = {
  events: { type: 'string' },
  verbose: { type: 'boolean', short: 'v' },
  fail: { type: 'string' },
  slow: { type: 'string' },
  forward: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

function failingStatus(text: string): number {
  if (/^[345]\d\d$/.test(text)) return Number(text);
  throw new UsageError(`"${text}" is not a failing status: --fail takes one from 300 to 599.`);
}

function secondsOf(text: string): number {
  const seconds = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && seconds <= 600) return seconds;
  throw new UsageError(`"${text}" is not a time: --slow takes seconds, up to 600.`);
}

/** Deliveries contain customers' outputs, which must stay on this machine. */
function loopbackUrl(text: string): URL {
  const url = URL.parse(text);
  const isLoopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url?.hostname ?? '');
  if (url && /^https?:$/.test(url.protocol) && isLoopback) return url;
  throw new UsageError(
    `"${text}" is not a URL of this machine: --forward takes one like http://localhost:3000/hooks.`,
  );
}
