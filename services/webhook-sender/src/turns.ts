import { createShares } from '@holdfast/kit/shares';
import { type Lane, slotsInUse, slotsOf, waitingIn } from './lane.ts';

/** Lanes of an organization that are looked at for one with a share; a periodic look passes more. */
const lanesTried = 8;
/** Deliveries of all lanes that wait without a slot: some 20 MB with bodies of 1 KB. */
const maxWaiting = 12_000;

export type Turns = ReturnType<typeof createTurns>;

/**
 * How many of the process's `size` slots each lane may take, and which lane is next. Organizations share the slots
 * (kit/shares) and take turns, and so do the lanes within one: a lane that is never empty must not keep all slots.
 */
export function createTurns(size: number) {
  const shares = createShares(size);
  const waitingShares = createShares(maxWaiting);
  /** What the shares know of each lane. */
  const countedOf = new WeakMap<Lane, { slots: number; waiting: number }>();
  const ready = new Map<string, Set<Lane>>();

  /** A lane may take half of what its organization may: if it hangs, the other lanes still have slots. */
  function shareOf(lane: Lane): number {
    return Math.max(0, Math.ceil((shares.roomOf(lane.organizationId) - slotsInUse(lane)) / 2));
  }

  /** A lane without a share queues again: each of its responses makes room, and is followed by another look. */
  function takeFirst(queued: Set<Lane>, maxTries: number): Lane | null {
    for (let tries = Math.min(queued.size, maxTries); tries > 0; tries--) {
      const [lane] = queued;
      if (!lane) return null;
      queued.delete(lane);
      if (shareOf(lane) > 0) return lane;
      queued.add(lane);
    }
    return null;
  }

  const isFull = () => shares.taken() >= size;

  return {
    shareOf,
    waitingShareOf: (lane: Lane) => waitingShares.roomOf(lane.organizationId),
    /** After every change of a lane. */
    count(lane: Lane): void {
      const counted = countedOf.get(lane) ?? { slots: 0, waiting: 0 };
      countedOf.set(lane, counted);
      shares.change(lane.organizationId, slotsOf(lane) - counted.slots);
      counted.slots = slotsOf(lane);
      waitingShares.change(lane.organizationId, waitingIn(lane) - counted.waiting);
      counted.waiting = waitingIn(lane);
    },
    /** Queues the lane behind the others of its organization. */
    add(lane: Lane): void {
      const others = ready.get(lane.organizationId);
      if (others) others.add(lane);
      else ready.set(lane.organizationId, new Set([lane]));
    },
    /** The lanes whose turn it is, until there is no slot, or none has a share. Thousands may be queued. */
    *next(maxTries = lanesTried): Generator<Lane> {
      if (isFull()) return;
      for (const [organizationId, queued] of ready) {
        const lane = shares.roomOf(organizationId) > 0 ? takeFirst(queued, maxTries) : null;
        if (!lane) continue;
        ready.delete(organizationId);
        if (queued.size > 0) ready.set(organizationId, queued);
        yield lane;
        if (isFull()) return;
      }
    },
    slotsTaken: shares.taken,
    idle: shares.idle,
  };
}
