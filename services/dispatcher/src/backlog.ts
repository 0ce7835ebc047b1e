import { createShares } from '@holdfast/kit/shares';

/** A run that waits to begin. */
export type Waiting = {
  executionId: string;
  organizationId: string;
  model: string;
  /** Of its priority: the lower, the sooner. */
  rank: number;
  /** A further try, after a refusal: its attempt, and where it is to be sent. Null: the first one. */
  again: { attemptId: string; connection: string; target: string } | null;
};

/** Those that go the same way: of one model, and further tries by where they are sent. */
export function lineName({ model, again }: Waiting): string {
  return again === null ? model : `${model} ${again.connection} ${again.target}`;
}

/**
 * What waits for its turn. Organizations take turns, so that a hundred thousand of one delay nobody else's; within one, the
 * higher priority goes first; within that, lines take turns, so that one that is full delays no other.
 */
export type Backlog = {
  /**
   * False when it is here already, or when there is no room left: a sweep brings it again. Of a line of an organization no
   * more are kept than would fit in besides: what waits for a provider that is down for long leaves room for all others.
   */
  add(waiting: Waiting): boolean;
  /** The next one that may go, taken out; null when nobody may. */
  next(mayGo: MayGo): Waiting | null;
  /** It could not go after all: it is the first of its kind again. */
  putBack(waiting: Waiting): void;
  size(): number;
};

/** `line`: whether those may go that wait as this one does. */
type MayGo = { organization(id: string): boolean; line(waiting: Waiting): boolean };

/** About 200 bytes each. */
const mostWaiting = 250_000;

type Line = { like: Waiting; first: Waiting[]; rest: Waiting[]; from: number };
/** By rank, then by line. */
type Lane = Map<number, Map<string, Line>>;

export function createBacklog(most = mostWaiting): Backlog {
  const lanes = new Map<string, Lane>();
  const known = new Set<string>();
  const room = createShares(most);

  function lineOf(waiting: Waiting): Line {
    const lane = getOrSet(lanes, waiting.organizationId, () => new Map());
    const lines = getOrSet(lane, waiting.rank, () => new Map<string, Line>());
    return getOrSet(lines, lineName(waiting), () => ({ like: waiting, first: [], rest: [], from: 0 }));
  }

  const nameOf = (waiting: Waiting) => `${waiting.organizationId} ${lineName(waiting)}`;

  function know(waiting: Waiting): void {
    known.add(waiting.executionId);
    room.take(nameOf(waiting), 1);
  }

  function takeFrom(lane: Lane, mayGo: MayGo): Waiting | null {
    for (const rank of [...lane.keys()].toSorted((a, b) => a - b)) {
      const lines = lane.get(rank) ?? new Map<string, Line>();
      for (const [name, line] of lines) {
        if (!mayGo.line(line.like)) continue;
        const waiting = shift(line);
        lines.delete(name);
        if (lengthOf(line) > 0) lines.set(name, line);
        if (lines.size === 0) lane.delete(rank);
        return waiting;
      }
    }
    return null;
  }

  return {
    add(waiting) {
      if (known.has(waiting.executionId) || room.roomOf(nameOf(waiting)) === 0) return false;
      know(waiting);
      lineOf(waiting).rest.push(waiting);
      return true;
    },
    next(mayGo) {
      for (const [organizationId, lane] of lanes) {
        if (!mayGo.organization(organizationId)) continue;
        const waiting = takeFrom(lane, mayGo);
        if (waiting === null) continue;
        known.delete(waiting.executionId);
        room.give(nameOf(waiting), 1);
        lanes.delete(organizationId);
        if (lane.size > 0) lanes.set(organizationId, lane);
        return waiting;
      }
      return null;
    },
    putBack(waiting) {
      if (known.has(waiting.executionId)) return;
      know(waiting);
      lineOf(waiting).first.push(waiting);
    },
    size: () => known.size,
  };
}

function lengthOf({ first, rest, from }: Line): number {
  return first.length + rest.length - from;
}

/** What was put back is given in the order in which it was taken, for it is put back last to first. */
function shift(line: Line): Waiting | null {
  const back = line.first.pop();
  if (back) return back;
  const waiting = line.rest[line.from] ?? null;
  line.from += 1;
  // What was taken is dropped now and then, not each time: a shift costs as much as the line is long.
  if (line.from > 1000 && line.from * 2 > line.rest.length) {
    line.rest = line.rest.slice(line.from);
    line.from = 0;
  }
  return waiting;
}

function getOrSet<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const found = map.get(key);
  if (found !== undefined) return found;
  const made = make();
  map.set(key, made);
  return made;
}
