import type { Lane } from './lane.ts';

/** Lanes of an organization that are looked at for one with a share; a periodic look passes more. */
const lanesTried = 8;

/** Lanes that want a slot. Organizations take turns, and so do the lanes within one: a lane that is never empty must not keep all slots. */
export function createTurns(args: { roomOf(organizationId: string): number; shareOf(lane: Lane): number }) {
  const ready = new Map<string, Set<Lane>>();

  /** A lane without a share queues again: each of its responses makes room, and is followed by another look. */
  function takeFirst(queued: Set<Lane>, maxTries: number): Lane | null {
    for (let tries = Math.min(queued.size, maxTries); tries > 0; tries--) {
      const [lane] = queued;
      if (!lane) return null;
      queued.delete(lane);
      if (args.shareOf(lane) > 0) return lane;
      queued.add(lane);
    }
    return null;
  }

  return {
    /** Queues the lane behind the others of its organization. */
    add(lane: Lane): void {
      const others = ready.get(lane.organizationId);
      if (others) others.add(lane);
      else ready.set(lane.organizationId, new Set([lane]));
    },
    /** The lanes whose turn it is, until none has a share. Thousands may be queued: the caller stops when it has no slot. */
    *next(maxTries = lanesTried): Generator<Lane> {
      for (const [organizationId, queued] of ready) {
        const lane = args.roomOf(organizationId) > 0 ? takeFirst(queued, maxTries) : null;
        if (!lane) continue;
        ready.delete(organizationId);
        if (queued.size > 0) ready.set(organizationId, queued);
        yield lane;
      }
    },
  };
}
