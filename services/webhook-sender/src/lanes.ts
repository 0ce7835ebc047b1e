import type { ClaimedDelivery, LaneClaim } from '@holdfast/db/webhooks/lanes';
import { limits } from '@holdfast/domain/limits';
import { createShares } from '@holdfast/kit/shares';
import type { Attempt, ClaimLane } from './delivery.ts';

export type LaneOf = {
  lane: string;
  organizationId: string;
  /** Maximum number of open requests in all senders together. If unknown, the first claim returns it. */
  maxInFlight?: number;
};

/** Limits open requests, per lane and in total. The deliveries of a full lane stay in the database and are claimed later. */
export type Lanes = {
  /** Reserves a slot for a delivery that is about to be claimed. False: the lane is full or has pending deliveries. */
  reserve(to: LaneOf): boolean;
  release(lane: string, slots?: number): void;
  run(delivery: ClaimedDelivery): void;
  /** Reports pending deliveries of a lane: they are claimed as soon as there are free slots. */
  wake(to: LaneOf): void;
  close(): void;
  idle(): Promise<void>;
  inUse(): number;
  slotsTaken(): number;
};

type Lane = {
  key: string;
  organizationId: string;
  maxInFlight: number;
  inFlight: number;
  hasPending: boolean;
  isClaiming: boolean;
  /** Set while a paced lane (`max_per_second`) claims nothing. */
  pause: NodeJS.Timeout | null;
};

/** `maxInFlight` of a lane is divided by the number of senders. Organizations share the `size` slots (kit/shares). */
export function createLanes(args: {
  size: number;
  senders(): number;
  claim: ClaimLane;
  attempt: Attempt;
}): Lanes {
  const lanes = new Map<string, Lane>();
  const shares = createShares(args.size);
  /** Lanes that can claim, by organization; both take turns in this order. */
  const ready = new Map<string, Set<Lane>>();
  let isClosed = false;

  function open(to: LaneOf): Lane {
    const known = lanes.get(to.lane);
    if (known) {
      known.maxInFlight = to.maxInFlight ?? known.maxInFlight;
      return known;
    }
    const isEndpoint = to.lane.startsWith('wh_');
    const defaultMax = isEndpoint ? limits.webhookMaxInFlight : limits.webhookUrlMaxInFlight;
    const { organizationId, maxInFlight = defaultMax } = to;
    const idle = { inFlight: 0, hasPending: false, isClaiming: false, pause: null };
    const lane = { key: to.lane, organizationId, maxInFlight, ...idle };
    lanes.set(to.lane, lane);
    return lane;
  }

  const maxHere = (lane: Lane) => Math.max(1, Math.floor(lane.maxInFlight / args.senders()));
  const roomOf = (lane: Lane) => maxHere(lane) - lane.inFlight;

  function takeSlots(lane: Lane, slots: number): void {
    lane.inFlight += slots;
    shares.take(lane.organizationId, slots);
  }

  function releaseSlots(lane: Lane, slots: number): void {
    lane.inFlight -= slots;
    shares.give(lane.organizationId, slots);
    schedule(lane);
  }

  /** Queues the lane behind the others of its organization: a lane that is never empty must not keep all slots. */
  function schedule(lane: Lane): void {
    const canClaim = !lane.isClaiming && lane.pause === null;
    if (lane.hasPending && canClaim && roomOf(lane) > 0) queue(lane);
    else if (!lane.hasPending && canClaim && lane.inFlight === 0) lanes.delete(lane.key);
    claimReady();
  }

  function queue(lane: Lane): void {
    const others = ready.get(lane.organizationId);
    if (others) others.add(lane);
    else ready.set(lane.organizationId, new Set([lane]));
  }

  function claimReady(): void {
    if (isClosed) return;
    for (const [organizationId, queued] of ready) {
      // Thousands may be queued: stop as soon as there is no slot.
      if (shares.taken() >= args.size) return;
      const share = shares.roomOf(organizationId);
      const [lane] = queued;
      if (share === 0 || !lane) continue;
      queued.delete(lane);
      ready.delete(organizationId);
      if (queued.size > 0) ready.set(organizationId, queued);
      const room = Math.min(roomOf(lane), share);
      if (room > 0) void claim(lane, room);
    }
  }

  async function claim(lane: Lane, room: number): Promise<void> {
    lane.hasPending = false;
    lane.isClaiming = true;
    takeSlots(lane, room);
    // A failed claim is logged where it is made, and a sweep wakes the lane.
    const result = await args.claim({ lane: lane.key, room }).catch(() => null);
    lane.isClaiming = false;
    if (result) applyClaim(lane, result, room);
    for (const delivery of result?.claimed ?? []) run(delivery);
    releaseSlots(lane, room - (result?.claimed.length ?? 0));
  }

  function applyClaim(lane: Lane, { claimed, ended, maxInFlight, waitMs }: LaneClaim, room: number): void {
    lane.maxInFlight = maxInFlight ?? lane.maxInFlight;
    const isProbe = claimed.some((delivery) => delivery.isProbe);
    const mayHaveMore = claimed.length + ended.length >= Math.min(room, maxHere(lane)) || waitMs !== null;
    if (mayHaveMore && !isProbe) lane.hasPending = true;
    if (waitMs !== null) pause(lane, waitMs);
  }

  function pause(lane: Lane, ms: number): void {
    lane.pause = setTimeout(() => {
      lane.pause = null;
      schedule(lane);
    }, ms);
  }

  /** The lane's slot becomes free when the receiver has accepted, the process's slot when the attempt is recorded. */
  async function makeAttempt(delivery: ClaimedDelivery): Promise<void> {
    let isInLane = true;
    const freeLaneSlot = () => {
      const lane = isInLane ? lanes.get(delivery.lane) : undefined;
      isInLane = false;
      if (!lane) return;
      lane.inFlight -= 1;
      schedule(lane);
    };
    const isDelivered = await args.attempt(delivery, freeLaneSlot);
    freeLaneSlot();
    shares.give(delivery.organizationId, 1);
    // A failing endpoint has recovered: the deliveries behind the probe may be sent.
    if (delivery.isProbe && isDelivered) wake(delivery);
    claimReady();
  }

  const run = (delivery: ClaimedDelivery) => void makeAttempt(delivery);

  function wake(to: LaneOf): void {
    const lane = open(to);
    lane.hasPending = true;
    schedule(lane);
  }

  return {
    reserve(to) {
      const lane = open(to);
      const hasRoom = roomOf(lane) > 0 && shares.roomOf(lane.organizationId) > 0;
      const isFree = !isClosed && !lane.hasPending && hasRoom;
      if (isFree) takeSlots(lane, 1);
      else schedule(lane);
      return isFree;
    },
    release(key, slots = 1) {
      const lane = lanes.get(key);
      if (lane && slots > 0) releaseSlots(lane, slots);
    },
    run,
    wake,
    close() {
      isClosed = true;
      for (const lane of lanes.values()) if (lane.pause) clearTimeout(lane.pause);
    },
    idle: shares.idle,
    inUse: () => lanes.size,
    slotsTaken: shares.taken,
  };
}
