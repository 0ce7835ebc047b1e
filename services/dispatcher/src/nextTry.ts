import type { Tries } from '@holdfast/db/attempts/tries';
import type { ModelDefinition } from '@holdfast/domain/modelDefinition';

type Place = { connection: string; target: string };

/** With somebody else to go to, a provider is asked less often. */
const most = { alone: 5, ofSeveral: 3 };
const firstPauseMs = 1000;
const longestPauseMs = 30_000;
/** Who asks us to wait longer than this is left for the next provider at once. */
const patienceMs = 10_000;

/**
 * Where an execution goes after a refusal, and in how many ms: to the same provider again, each time later, or to the next
 * one of its model that has not been asked yet. Null: there is nobody left, or no time.
 */
export function nextTry(args: {
  definition: ModelDefinition;
  isOpen(route: ModelDefinition['providers'][number]): boolean;
  at: Place;
  /** Null: asking there again is of no use. */
  retryAfterMs: number | null;
  /** Every place that was asked, this one included. */
  tried: Tries[];
  remainingMs: number;
  /** 0 to 1. */
  chance?: number;
}): (Place & { afterMs: number }) | null {
  const { definition, at, tried, remainingMs } = args;
  const other = definition.providers.find(
    (route) =>
      args.isOpen(route) &&
      !tried.some(({ connection, target }) => connection === route.connection && target === route.model),
  );
  const again =
    args.retryAfterMs === null ? null : pauseMs(args.retryAfterMs, triesAt(tried, at), args.chance);
  const mostHere = other ? most.ofSeveral : most.alone;
  const isWorthWaiting = again !== null && again < remainingMs && (!other || again <= patienceMs);
  if (isWorthWaiting && triesAt(tried, at) < mostHere) {
    return { connection: at.connection, target: at.target, afterMs: again };
  }
  return other ? { connection: other.connection, target: other.model, afterMs: 0 } : null;
}

function triesAt(tried: Tries[], at: Place): number {
  return (
    tried.find(({ connection, target }) => connection === at.connection && target === at.target)?.tries ?? 0
  );
}

/** Twice as long each time, a fifth more or less, and never less than the provider asks for. */
function pauseMs(askedMs: number, tries: number, chance = Math.random()): number {
  const ours = Math.min(firstPauseMs * 2 ** Math.max(0, tries - 1), longestPauseMs);
  return Math.max(askedMs, ours) * (0.9 + chance * 0.2);
}
