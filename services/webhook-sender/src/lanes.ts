import type { ClaimedDelivery, LaneClaim, LaneRoom } from '@holdfast/db/webhooks/lanes';
import { limits } from '@holdfast/domain/limits';
import { createShares } from '@holdfast/kit/shares';
import type { Attempt } from './deliver.ts';

/** A lane as whoever has something for it knows it. See domain/deliveryLane. */
export type LaneOf = {
  lane: string;
  organizationId: string;
  /** Requests that it takes at once, of all senders together; when unknown, its first claim tells. */
  maxInFlight?: number;
};

/** Which requests may be open. A lane that is full leaves what waits for it in the database, and takes it from there. */
export type Lanes = {
  /** Takes a place in a lane, for a delivery that is about to be claimed. False: it is full, or something waits there. */
  take(to: LaneOf): boolean;
  /** Gives places back that were not used. */
  give(lane: string, places?: number): void;
  /** Attempts a claimed delivery in a place that was taken for it. */
  run(delivery: ClaimedDelivery): void;
  /** Something waits in a lane: it is claimed as soon as there is room. */
  wake(to: LaneOf): void;
  /** Lets nobody in any more. */
  close(): void;
  /** Resolves when no place is taken. */
  idle(): Promise<void>;
  /** How many lanes are in use. */
  inUse(): number;
  /** How many places are taken. */
  taken(): number;
};

type Lane = {
  key: string;
  organizationId: string;
  maxInFlight: number;
  inFlight: number;
  /** Something waits there, as far as is known. */
  isOwed: boolean;
  isClaiming: boolean;
  /** Set while the lane is paced: it takes nothing until then. */
  pause: NodeJS.Timeout | null;
};

/**
 * A lane has at most `maxInFlight` requests open, divided by the number of senders; the process has `size`, which the
 * organizations share (see shares).
 */
export function createLanes(args: {
  size: number;
  /** How many senders there are. */
  senders(): number;
  claim(lane: LaneRoom): Promise<LaneClaim | null>;
  attempt: Attempt;
}): Lanes {
  const lanes = new Map<string, Lane>();
  const shares = createShares(args.size);
  /** Lanes that are owed something and have room, by organization; both in turn. None that claims or is paused. */
  const waiting = new Map<string, Set<Lane>>();
  let isClosed = false;

  function open(to: LaneOf): Lane {
    const known = lanes.get(to.lane);
    if (known) {
      known.maxInFlight = to.maxInFlight ?? known.maxInFlight;
      return known;
    }
    const isEndpoint = to.lane.startsWith('wh_');
    const usual = isEndpoint ? limits.webhookMaxInFlight : limits.webhookUrlMaxInFlight;
    const { organizationId, maxInFlight = usual } = to;
    const idle = { inFlight: 0, isOwed: false, isClaiming: false, pause: null };
    const lane = { key: to.lane, organizationId, maxInFlight, ...idle };
    lanes.set(to.lane, lane);
    return lane;
  }

  const mostOf = (lane: Lane) => Math.max(1, Math.floor(lane.maxInFlight / args.senders()));
  const roomOf = (lane: Lane) => mostOf(lane) - lane.inFlight;

  function occupy(lane: Lane, places: number): void {
    lane.inFlight += places;
    shares.take(lane.organizationId, places);
  }

  function vacate(lane: Lane, places: number): void {
    lane.inFlight -= places;
    shares.give(lane.organizationId, places);
    claimMore(lane);
  }

  /** Behind the others of its organization: a lane that never runs dry must not keep its places for itself. */
  function claimMore(lane: Lane): void {
    const { isOwed, isClaiming, pause } = lane;
    const isAtRest = !isClaiming && pause === null;
    if (isOwed && isAtRest && roomOf(lane) > 0) wait(lane);
    else if (!isOwed && isAtRest && lane.inFlight === 0) lanes.delete(lane.key);
    admit();
  }

  function wait(lane: Lane): void {
    const others = waiting.get(lane.organizationId);
    if (others) others.add(lane);
    else waiting.set(lane.organizationId, new Set([lane]));
  }

  /** Lets organizations in, one lane each in turn, as far as there are places. */
  function admit(): void {
    if (isClosed) return;
    for (const [organizationId, its] of waiting) {
      // Thousands may wait: nobody is asked when there is nothing to have.
      if (shares.taken() >= args.size) return;
      const share = shares.roomOf(organizationId);
      const [lane] = its;
      if (share === 0 || !lane) continue;
      its.delete(lane);
      waiting.delete(organizationId);
      if (its.size > 0) waiting.set(organizationId, its);
      const room = Math.min(roomOf(lane), share);
      if (room > 0) void claim(lane, room);
    }
  }

  async function claim(lane: Lane, room: number): Promise<void> {
    lane.isOwed = false;
    lane.isClaiming = true;
    occupy(lane, room);
    const given = await args.claim({ lane: lane.key, room }).catch(() => null);
    lane.isClaiming = false;
    if (given) note(lane, given, room);
    for (const delivery of given?.claimed ?? []) run(delivery);
    vacate(lane, room - (given?.claimed.length ?? 0));
  }

  function note(lane: Lane, { claimed, ended, maxInFlight, waitMs }: LaneClaim, room: number): void {
    lane.maxInFlight = maxInFlight ?? lane.maxInFlight;
    const isProbe = claimed.some((delivery) => delivery.isProbe);
    const mayHaveMore = claimed.length + ended.length >= Math.min(room, mostOf(lane)) || waitMs !== null;
    if (mayHaveMore && !isProbe) lane.isOwed = true;
    if (waitMs !== null) pause(lane, waitMs);
  }

  function pause(lane: Lane, ms: number): void {
    lane.pause = setTimeout(() => {
      lane.pause = null;
      claimMore(lane);
    }, ms);
  }

  /** The lane has room again once the receiver has answered, the process only once that is written down. */
  async function makeAttempt(delivery: ClaimedDelivery): Promise<void> {
    let isInLane = true;
    const leave = () => {
      const lane = isInLane ? lanes.get(delivery.lane) : undefined;
      isInLane = false;
      if (!lane) return;
      lane.inFlight -= 1;
      claimMore(lane);
    };
    const isDelivered = await args.attempt(delivery, leave);
    leave();
    shares.give(delivery.organizationId, 1);
    // A failing endpoint is well again: what waited behind the probe may go.
    if (delivery.isProbe && isDelivered) wake(delivery);
    admit();
  }

  const run = (delivery: ClaimedDelivery) => void makeAttempt(delivery);

  function wake(to: LaneOf): void {
    const lane = open(to);
    lane.isOwed = true;
    claimMore(lane);
  }

  return {
    take(to) {
      const lane = open(to);
      const isFree = !isClosed && !lane.isOwed && roomOf(lane) > 0 && shares.roomOf(lane.organizationId) > 0;
      if (isFree) occupy(lane, 1);
      else claimMore(lane);
      return isFree;
    },
    give(key, places = 1) {
      const lane = lanes.get(key);
      if (lane && places > 0) vacate(lane, places);
    },
    run,
    wake,
    close() {
      isClosed = true;
      for (const { pause } of lanes.values()) if (pause) clearTimeout(pause);
    },
    idle: shares.idle,
    inUse: () => lanes.size,
    taken: shares.taken,
  };
}
