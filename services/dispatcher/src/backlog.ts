import { createShares } from '@holdfast/kit/shares';

/** A run that waits to begin. */
export type Waiting = {
  executionId: string;
  organizationId: string;
  model: string;
  /** Of its priority: the lower, the sooner. */
  rank: number;
  /**
   * A further try, after a refusal: its attempt, where it is to be sent, and who refused it other than for want of capacity
   * (connection, and model there). Null: the first one.
   */
  again: {
    attemptId: string;
    connection: string;
    target: string;
    refusedAt: readonly (readonly [connection: string, target: string])[];
  } | null;
};

/** Those that go the same way: of one model, and further tries by where they are sent. */
export function lineName({ model, again }: Waiting): string {
  return again === null ? model : `${model} ${again.connection} ${again.target}`;
}

/**
 * What waits for its turn. Organizations take turns, so that a hundred thousand of one delay nobody else's; within one, the
 * higher priority goes first; within that, lines take turns, so that one that is full delays no other. In a line of further
 * tries the oldest execution is first, however often it was refused.
 */
export type Backlog = {
  /**
   * False when it is here already, or when there is no room left: a sweep brings it again. Of a line of an organization no
   * more are kept than would fit in besides: what waits for a provider that is down for long leaves room for all others.
   */
  add(waiting: Waiting): boolean;
  /** The next one that may go, taken out; null when nobody may. */
  next(mayGo: MayGo): Waiting | null;
  /** These could not go after all, in the order in which they were taken: each is the first of its kind again. */
  putBack(waiting: Waiting[]): void;
  size(): number;
};

/** `line`: whether those may go that wait as this one does. */
type MayGo = { organization(id: string): boolean; line(waiting: Waiting): boolean };

/** About 200 bytes each. */
const mostWaiting = 250_000;

type Line = { like: Waiting; first: Waiting[]; rest: Waiting[]; from: number };
/** By rank, then by line. */
type Lane = Map<number, Round<Line>>;

/** Those who take turns: whoever had one is the last again; of whom something was put back, the turn is still to come. */
type Round<Value> = { ahead: Map<string, Value>; behind: Map<string, Value> };

export function createBacklog(most = mostWaiting): Backlog {
  const lanes = newRound<Lane>();
  const known = new Set<string>();
  const room = createShares(most);

  function lineOf(waiting: Waiting): { line: Line; keepTurn(): void } {
    const name = lineName(waiting);
    const lane = member<Lane>(lanes, waiting.organizationId, () => new Map());
    const lines = lane.get(waiting.rank) ?? newRound<Line>();
    lane.set(waiting.rank, lines);
    const line = member<Line>(lines, name, () => ({ like: waiting, first: [], rest: [], from: 0 }));
    return {
      line,
      keepTurn() {
        keepTurn(lanes, waiting.organizationId);
        keepTurn(lines, name);
      },
    };
  }

  const nameOf = (waiting: Waiting) => `${waiting.organizationId} ${lineName(waiting)}`;

  function know(waiting: Waiting): void {
    known.add(waiting.executionId);
    room.take(nameOf(waiting), 1);
  }

  function takeFrom(lane: Lane, mayGo: MayGo): Waiting | null {
    for (const rank of [...lane.keys()].toSorted((a, b) => a - b)) {
      const lines = lane.get(rank) ?? newRound<Line>();
      for (const [name, line] of members(lines)) {
        if (!mayGo.line(line.like)) continue;
        const waiting = shift(line);
        endTurn(lines, name, lengthOf(line) === 0);
        if (sizeOf(lines) === 0) lane.delete(rank);
        return waiting;
      }
    }
    return null;
  }

  return {
    add(waiting) {
      if (known.has(waiting.executionId) || room.roomOf(nameOf(waiting)) === 0) return false;
      know(waiting);
      push(lineOf(waiting).line, waiting);
      return true;
    },
    next(mayGo) {
      for (const [organizationId, lane] of members(lanes)) {
        if (!mayGo.organization(organizationId)) continue;
        const waiting = takeFrom(lane, mayGo);
        if (waiting === null) continue;
        known.delete(waiting.executionId);
        room.give(nameOf(waiting), 1);
        endTurn(lanes, organizationId, lane.size === 0);
        return waiting;
      }
      return null;
    },
    putBack(waiting) {
      const back = waiting.filter(({ executionId }) => !known.has(executionId));
      for (const one of back) lineOf(one).keepTurn();
      for (const one of back.toReversed()) {
        know(one);
        lineOf(one).line.first.push(one);
      }
    },
    size: () => known.size,
  };
}

function newRound<Value>(): Round<Value> {
  return { ahead: new Map(), behind: new Map() };
}

function member<Value>({ ahead, behind }: Round<Value>, name: string, make: () => Value): Value {
  const found = ahead.get(name) ?? behind.get(name);
  if (found !== undefined) return found;
  const made = make();
  behind.set(name, made);
  return made;
}

/** In the order of their turns. */
function* members<Value>({ ahead, behind }: Round<Value>): Generator<[string, Value]> {
  yield* ahead;
  yield* behind;
}

function sizeOf({ ahead, behind }: Round<unknown>): number {
  return ahead.size + behind.size;
}

function endTurn<Value>({ ahead, behind }: Round<Value>, name: string, isEmpty: boolean): void {
  const value = ahead.get(name) ?? behind.get(name);
  ahead.delete(name);
  behind.delete(name);
  if (!isEmpty && value !== undefined) behind.set(name, value);
}

function keepTurn<Value>({ ahead, behind }: Round<Value>, name: string): void {
  const value = behind.get(name);
  if (value === undefined) return;
  behind.delete(name);
  ahead.set(name, value);
}

function lengthOf({ first, rest, from }: Line): number {
  return first.length + rest.length - from;
}

/** Ids of executions are in the order of their creation. */
function push({ rest, from }: Line, waiting: Waiting): void {
  let at = rest.length;
  if (waiting.again !== null)
    while (at > from && (rest[at - 1]?.executionId ?? '') > waiting.executionId) at -= 1;
  rest.splice(at, 0, waiting);
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
