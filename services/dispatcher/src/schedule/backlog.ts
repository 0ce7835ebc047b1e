import type { PendingRetry } from '@holdfast/db/sweeps';
import { batchRank } from '@holdfast/domain/execution';
import { createShares } from '@holdfast/kit/shares';
import type { QueuedExecution } from '@holdfast/queues/definitions';

export type PendingExecution = {
  executionId: string;
  organizationId: string;
  model: string;
  /** Follows from its priority; the lowest goes first. */
  rank: number;
  /** `refusedAt` leaves out busy refusals. Null before the first attempt. */
  retry: {
    attemptId: string;
    connection: string;
    target: string;
    refusedAt: readonly (readonly [connection: string, target: string])[];
  } | null;
};

export function firstTry([executionId, organizationId, model, rank]: QueuedExecution): PendingExecution {
  return { executionId, organizationId, model, rank, retry: null };
}

export function toPendingRetry({ retry, refusedAt }: PendingRetry): PendingExecution {
  const [attemptId, executionId, organizationId, model, rank, connection, target] = retry;
  return { executionId, organizationId, model, rank, retry: { attemptId, connection, target, refusedAt } };
}

/** Retries that are due at the same target share a line. */
export function lineName({ model, retry }: PendingExecution): string {
  return retry === null ? model : `${model} ${retry.connection} ${retry.target}`;
}

/** The items of batches, of any organization, start when nothing else may. */
export const isOfBatch = ({ rank }: Pick<PendingExecution, 'rank'>): boolean => rank >= batchRank;

/**
 * Organizations take turns, so a hundred thousand executions of one delay no other; within one, the highest priority goes
 * first; within that, models take turns; of a model's lines that may start, the one with the oldest execution goes first, so a
 * full line delays no other, and a refused execution goes before younger ones.
 */
export type Backlog = {
  /**
   * Returns false when it is here already, or there is no room: a sweep brings it again. A line leaves as much room free as it
   * takes, so a provider that is down does not fill the backlog.
   */
  add(pending: PendingExecution): boolean;
  next(mayStart: MayStart): PendingExecution | null;
  /** To the front of their lines; in the order in which they were taken. */
  putBack(pending: PendingExecution[]): void;
  size(): number;
};

/** `line`: whether the executions in the same line as `like` may start. */
type MayStart = {
  organization(id: string, isBatch: boolean): boolean;
  line(like: PendingExecution): boolean;
};

/** About 200 bytes each. */
const maxPending = 250_000;

type Line = { like: PendingExecution; first: PendingExecution[]; rest: PendingExecution[]; from: number };
type Lane = Map<number, Round<Map<string, Line>>>;

/** A member that had its turn goes behind; one whose execution was put back keeps its turn. */
type Round<Value> = { ahead: Map<string, Value>; behind: Map<string, Value> };

export function createBacklog(maxSize = maxPending): Backlog {
  const interactive = newRound<Lane>();
  const batches = newRound<Lane>();
  const known = new Set<string>();
  const room = createShares(maxSize);

  function lineOf(pending: PendingExecution): { line: Line; keepTurn(): void } {
    const name = lineName(pending);
    const lanes = isOfBatch(pending) ? batches : interactive;
    const lane = member<Lane>(lanes, pending.organizationId, () => new Map());
    const models = lane.get(pending.rank) ?? newRound<Map<string, Line>>();
    lane.set(pending.rank, models);
    const lines = member(models, pending.model, () => new Map<string, Line>());
    const line = lines.get(name) ?? { like: pending, first: [], rest: [], from: 0 };
    lines.set(name, line);
    return {
      line,
      keepTurn() {
        keepTurn(lanes, pending.organizationId);
        keepTurn(models, pending.model);
      },
    };
  }

  const nameOf = (pending: PendingExecution) =>
    `${pending.organizationId} ${isOfBatch(pending) ? 'batch ' : ''}${lineName(pending)}`;

  function know(pending: PendingExecution): void {
    known.add(pending.executionId);
    room.take(nameOf(pending), 1);
  }

  function takeFrom(lane: Lane, mayStart: MayStart): PendingExecution | null {
    for (const rank of [...lane.keys()].toSorted((a, b) => a - b)) {
      const models = lane.get(rank) ?? newRound<Map<string, Line>>();
      for (const [model, lines] of members(models)) {
        const oldest = oldestOf([...lines].filter(([, line]) => mayStart.line(line.like)));
        if (oldest === null) continue;
        const [name, line] = oldest;
        const pending = shift(line);
        if (lengthOf(line) === 0) lines.delete(name);
        endTurn(models, model, lines.size === 0);
        if (sizeOf(models) === 0) lane.delete(rank);
        return pending;
      }
    }
    return null;
  }

  return {
    add(pending) {
      if (known.has(pending.executionId) || room.roomOf(nameOf(pending)) === 0) return false;
      know(pending);
      push(lineOf(pending).line, pending);
      return true;
    },
    next(mayStart) {
      for (const lanes of [interactive, batches]) {
        for (const [organizationId, lane] of members(lanes)) {
          if (!mayStart.organization(organizationId, lanes === batches)) continue;
          const pending = takeFrom(lane, mayStart);
          if (pending === null) continue;
          known.delete(pending.executionId);
          room.give(nameOf(pending), 1);
          endTurn(lanes, organizationId, lane.size === 0);
          return pending;
        }
      }
      return null;
    },
    putBack(pending) {
      const back = pending.filter(({ executionId }) => !known.has(executionId));
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

/** Ids of executions sort by creation. */
function push({ rest, from }: Line, pending: PendingExecution): void {
  let at = rest.length;
  if (pending.retry !== null)
    while (at > from && (rest[at - 1]?.executionId ?? '') > pending.executionId) at -= 1;
  rest.splice(at, 0, pending);
}

type Named = [name: string, line: Line];

function oldestOf(lines: Named[]): Named | null {
  return lines.reduce<Named | null>(
    (oldest, one) => (oldest === null || headOf(one[1]) < headOf(oldest[1]) ? one : oldest),
    null,
  );
}

/** The id of the execution that `shift` takes. */
function headOf(line: Line): string {
  const pending = isRestOlder(line) ? line.rest[line.from] : line.first.at(-1);
  return pending?.executionId ?? '';
}

/** A retry may come while younger ones that were put back wait for the same target. */
function isRestOlder({ first, rest, from }: Line): boolean {
  const [back, pending] = [first.at(-1), rest[from]];
  if (back === undefined || pending === undefined) return back === undefined;
  return pending.retry !== null && pending.executionId < back.executionId;
}

function shift(line: Line): PendingExecution | null {
  if (!isRestOlder(line)) return line.first.pop() ?? null;
  const pending = line.rest[line.from] ?? null;
  line.from += 1;
  // Cut off now and then only: a shift costs as much as the line is long.
  if (line.from > 1000 && line.from * 2 > line.rest.length) {
    line.rest = line.rest.slice(line.from);
    line.from = 0;
  }
  return pending;
}
