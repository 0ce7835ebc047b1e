/** How a receiver took a request: `overloaded` is a time-out, no connection, 429 or 5xx; `ours` says nothing of it. */
export type Reaction = 'accepted' | 'refused' | 'overloaded' | 'ours';

/** How many requests a receiver may have open: as many as it takes without slowing down or failing. */
export type Limit = {
  value(): number;
  open(): number;
  /** The receiver owes responses and has given none for some time. */
  isSilent(): boolean;
  /** Responses per second, lately. */
  perS(): number;
  /** Returns when it started, for `end`. */
  start(): number;
  /** Grows to `max` at most. */
  end(startedAtMs: number, reaction: Reaction, max: number): void;
  /** Null: nothing yet. */
  found(): number | null;
  /** Sets what another sender found, or this one before it was restarted; ignored once there are responses. */
  restore(value: number): void;
};

const initialLimit = 16;
/** A receiver that owes responses and gives none for this time has stopped: no limit would be low enough to wait with. */
const silentAfterMs = 2000;
const silentLatencies = 4;
const silentLimit = 4;
/** A median latency above `slow` times the usual one and `slackMs` more means that requests queue at the receiver. */
const slow = 2;
const slackMs = 50;
/** A longer latency that stays, and that our own load does not explain, is the usual one after some of these. */
const forgetMs = 10_000;
const rateWindowMs = 250;
const firstRateWindowMs = 50;

/** `share`: the part of the limit that is this sender's. */
export function createLimit(share: () => number, now: () => number = () => performance.now()): Limit {
  const initial = () => Math.max(1, Math.floor(initialLimit * share()));
  let found: number | null = null;
  let isStarting = true;
  let isUntried = true;
  let open = 0;
  let decreasedAtMs = Number.NEGATIVE_INFINITY;
  let heardAtMs = now();
  let usualMs: number | null = null;
  let usualAtMs = now();
  let latencies: number[] = [];
  let wasFull = false;
  let rate = { sinceMs: now(), responses: 0, perS: 0 };

  const limit = () => found ?? initial();

  function isSilent(): boolean {
    const patienceMs = Math.max(silentAfterMs, silentLatencies * (usualMs ?? 0));
    return open > 0 && now() - heardAtMs > patienceMs;
  }

  function decrease(factor: number, min: number): void {
    found = Math.max(Math.min(min, limit()), limit() * factor);
    isStarting = false;
    decreasedAtMs = now();
    clearWindow();
  }

  function clearWindow(): void {
    latencies = [];
    wasFull = false;
  }

  /** Judges half a round of responses at once: single latencies say little. */
  function closeWindow(max: number): void {
    const sorted = latencies.toSorted((one, other) => one - other);
    const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
    const isSlow = usualMs !== null && median > slow * usualMs + slackMs;
    learnUsual(median);
    if (isSlow) return decrease(0.8, initial());
    if (wasFull) found = Math.min(Math.max(max, 1), isStarting ? limit() * 1.5 : limit() * 1.1 + 1);
    clearWindow();
  }

  function learnUsual(median: number): void {
    const elapsedMs = now() - usualAtMs;
    usualAtMs = now();
    if (usualMs === null || median < usualMs) usualMs = median;
    else if (!wasFull || limit() <= initial())
      usualMs += (median - usualMs) * (1 - Math.exp(-elapsedMs / forgetMs));
  }

  function countResponse(): void {
    rate.responses += 1;
    const elapsedMs = now() - rate.sinceMs;
    if (elapsedMs < rateWindowMs) return;
    rate = { sinceMs: now(), responses: 0, perS: (1000 * rate.responses) / elapsedMs };
  }

  return {
    value: () => Math.floor(isSilent() ? Math.min(limit(), silentLimit) : limit()),
    open: () => open,
    isSilent,
    perS() {
      const elapsedMs = now() - rate.sinceMs;
      const perS =
        (1000 * rate.responses) / Math.max(elapsedMs, rate.perS === 0 ? firstRateWindowMs : rateWindowMs);
      return elapsedMs > 4 * rateWindowMs ? perS : Math.max(perS, rate.perS);
    },
    start() {
      if (open === 0) heardAtMs = now();
      open += 1;
      return now();
    },
    end(startedAtMs, reaction, max) {
      const isFull = open >= Math.floor(limit());
      open -= 1;
      if (reaction === 'ours') return;
      heardAtMs = now();
      isUntried = false;
      countResponse();
      // Sent under a higher limit: that it was too high is known already.
      if (startedAtMs < decreasedAtMs) return;
      if (reaction === 'overloaded') return decrease(0.5, 1);
      if (reaction === 'refused') return;
      latencies.push(now() - startedAtMs);
      wasFull ||= isFull;
      if (latencies.length >= Math.max(4, limit() / 2)) closeWindow(max);
    },
    found: () => found,
    restore(value) {
      if (!isUntried) return;
      found = Math.max(1, value);
      isStarting = false;
    },
  };
}
