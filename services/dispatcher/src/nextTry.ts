import type { TryCount } from '@holdfast/db/attempts/claim';
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
  tried: TryCount[];
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

/**
 * Where an execution waits that a provider had no capacity for, and in how many ms it may be sent there: at the same provider;
 * or, where the model says so and has others, at the next one that has not refused it otherwise, at once, until all are busy.
 */
export function busyTry(args: {
  definition: ModelDefinition;
  isOpen(route: ModelDefinition['providers'][number]): boolean;
  at: Place;
  refusedAt: Place[];
  /** How often a provider was busy before this one. */
  busyRefusals: number;
  /** As long as this provider is left alone. */
  pauseMs: number;
}): Place & { afterMs: number } {
  const { definition, at, refusedAt, busyRefusals, pauseMs: afterMs } = args;
  const isAt = ({ connection, target }: Place, route: ModelDefinition['providers'][number]) =>
    connection === route.connection && target === route.model;
  const open = definition.providers.filter(
    (route) => args.isOpen(route) && (isAt(at, route) || !refusedAt.some((place) => isAt(place, route))),
  );
  const here = open.findIndex((route) => isAt(at, route));
  const next = open[(here + 1) % open.length];
  if (definition.on_busy === 'wait' || next === undefined) return { ...at, afterMs };
  const isRoundOver = (busyRefusals + 1) % open.length === 0;
  return { connection: next.connection, target: next.model, afterMs: isRoundOver ? afterMs : 0 };
}

function triesAt(tried: TryCount[], at: Place): number {
  return (
    tried.find(({ connection, target }) => connection === at.connection && target === at.target)?.tries ?? 0
  );
}

/** Twice as long each time, a fifth more or less, and never less than the provider asks for. */
function pauseMs(askedMs: number, tries: number, chance = Math.random()): number {
  const ours = Math.min(firstPauseMs * 2 ** Math.max(0, tries - 1), longestPauseMs);
  return Math.max(askedMs, ours) * (0.9 + chance * 0.2);
}
