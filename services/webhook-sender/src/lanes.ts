import type { ClaimedDelivery, LaneClaim } from '@holdfast/db/webhooks/lanes';
import { limits } from '@holdfast/domain/limits';
import { createShares } from '@holdfast/kit/shares';
import { LRUCache } from 'lru-cache';
import type { Attempt, ClaimLane } from './delivery.ts';
import { aheadRoom, isIdle, isRunningOut, type Lane, newLane, slotRoom, takeStale } from './lane.ts';
import { createLimit, type Limit, type Outcome } from './limit.ts';

export type LaneOf = {
  lane: string;
  organizationId: string;
  /** Maximum number of open requests in all senders together. If unknown, the first claim returns it. */
  maxInFlight?: number;
  /** What senders found so far; null: nothing. */
  inFlightLimit?: number | null;
};

/** Limits open requests, per lane and in total. The deliveries of a full lane stay in the database and are claimed later. */
export type Lanes = {
  /** Reserves a place for a delivery that is about to be claimed. Null: the lane is full or has pending deliveries. */
  reserve(to: LaneOf): 'start' | 'ahead' | null;
  release(lane: string, kind: 'start' | 'ahead', places?: number): void;
  /** Sends a claimed delivery whose place was reserved. */
  run(delivery: ClaimedDelivery): void;
  /** Reports pending deliveries of a lane: they are claimed as soon as there is room. */
  wake(to: LaneOf): void;
  close(): void;
  idle(): Promise<void>;
  /** Of the lanes in use. */
  limits(): number[];
  slotsTaken(): number;
  claimedAhead(): number;
};

/** Some kilobytes of limits that outlive their lanes, which are forgotten as soon as they are idle. */
const limitsKept = 10_000;
const lookEveryMs = 1000;

/**
 * `maxInFlight` and limit of a lane are divided by the number of senders. Organizations share the `size` slots
 * (kit/shares); a delivery has one from its claim until its attempt is recorded.
 */
export function createLanes(args: {
  size: number;
  senders(): number;
  claim: ClaimLane;
  attempt: Attempt;
  giveBack(deliveries: ClaimedDelivery[]): Promise<void>;
}): Lanes {
  const lanes = new Map<string, Lane>();
  const limitOf = new LRUCache<string, Limit>({ max: limitsKept });
  const shares = createShares(args.size);
  /** Lanes that can claim, by organization; both take turns in this order. */
  const ready = new Map<string, Set<Lane>>();
  let isClosed = false;

  function open(to: LaneOf): Lane {
    const lane = lanes.get(to.lane) ?? add(to);
    lane.maxInFlight = to.maxInFlight ?? lane.maxInFlight;
    restoreLimit(lane, to.inFlightLimit ?? null);
    return lane;
  }

  function add({ lane: key, organizationId }: LaneOf): Lane {
    const maxInFlight = key.startsWith('wh_') ? limits.webhookMaxInFlight : limits.webhookUrlMaxInFlight;
    const limit = limitOf.get(key) ?? createLimit(() => 1 / args.senders());
    limitOf.set(key, limit);
    const lane = newLane({ key, organizationId, maxInFlight, limit });
    lanes.set(key, lane);
    return lane;
  }

  function restoreLimit(lane: Lane, ofAllSenders: number | null): void {
    if (ofAllSenders !== null) lane.limit.restore(ofAllSenders / args.senders());
  }

  const maxHere = (lane: Lane) => Math.max(1, Math.floor(lane.maxInFlight / args.senders()));
  const roomOf = (lane: Lane) => slotRoom(lane, maxHere(lane));

  function promise(lane: Lane, slots: number, ahead: number): void {
    lane.starting += slots;
    lane.aheadPromised += ahead;
    shares.take(lane.organizationId, slots + ahead);
  }

  /** Queues the lane behind the others of its organization: a lane that is never empty must not keep all slots. */
  function schedule(lane: Lane): void {
    const canClaim = !lane.isClaiming && lane.pause === null;
    if (lane.hasPending && canClaim && (roomOf(lane) > 0 || isRunningOut(lane))) queue(lane);
    else if (!lane.hasPending && canClaim && isIdle(lane)) lanes.delete(lane.key);
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
      const slots = Math.min(roomOf(lane), share);
      const ahead = Math.min(aheadRoom(lane), share - slots);
      if (slots + ahead > 0) void claim(lane, slots, ahead);
    }
  }

  async function claim(lane: Lane, slots: number, ahead: number): Promise<void> {
    lane.hasPending = false;
    lane.isClaiming = true;
    promise(lane, slots, ahead);
    // A failed claim is logged where it is made, and a sweep wakes the lane.
    const result = await args.claim({ lane: lane.key, slots, ahead }).catch(() => null);
    lane.isClaiming = false;
    if (result) applyClaim(lane, result, slots, ahead);
    const claimed = result?.claimed ?? [];
    const started = claimed.filter(({ isCounted }) => isCounted).length;
    for (const delivery of claimed) run(delivery);
    releasePlaces(lane, 'start', slots - started);
    releasePlaces(lane, 'ahead', ahead - (claimed.length - started));
    schedule(lane);
  }

  function applyClaim(lane: Lane, result: LaneClaim, slots: number, ahead: number): void {
    const { claimed, ended, maxInFlight, inFlightLimit, waitMs } = result;
    lane.maxInFlight = maxInFlight ?? lane.maxInFlight;
    restoreLimit(lane, inFlightLimit);
    const isProbe = claimed.some((delivery) => delivery.isProbe);
    const asked = Math.min(slots, maxHere(lane)) + ahead;
    const mayHaveMore = claimed.length + ended.length >= asked || waitMs !== null;
    if (mayHaveMore && !isProbe) lane.hasPending = true;
    if (claimed.length > 0 && !isProbe) lane.isHeld = false;
    lane.isPaced = waitMs !== null;
    if (waitMs !== null) pause(lane, waitMs);
  }

  function pause(lane: Lane, ms: number): void {
    lane.pause = setTimeout(() => {
      lane.pause = null;
      schedule(lane);
    }, ms);
  }

  function releasePlaces(lane: Lane, kind: 'start' | 'ahead', places: number): void {
    if (kind === 'start') lane.starting -= places;
    else lane.aheadPromised -= places;
    if (places > 0) shares.give(lane.organizationId, places);
  }

  function run(delivery: ClaimedDelivery): void {
    const lane = lanes.get(delivery.lane);
    if (!lane) throw new Error('a delivery was claimed without a place in its lane');
    if (delivery.isCounted) {
      lane.starting -= 1;
      void makeAttempt(lane, delivery);
    } else {
      lane.aheadPromised -= 1;
      lane.ahead.push(delivery);
      startAhead(lane);
    }
  }

  function startAhead(lane: Lane): void {
    if (lane.ahead.length === 0) return;
    void giveBack(lane, takeStale(lane, isClosed ? Number.POSITIVE_INFINITY : performance.now()));
    while (!lane.isHeld && roomOf(lane) > 0) {
      const delivery = lane.ahead.shift();
      if (!delivery) return;
      void makeAttempt(lane, delivery);
    }
  }

  async function giveBack(lane: Lane, deliveries: ClaimedDelivery[]): Promise<void> {
    if (deliveries.length === 0) return;
    await args.giveBack(deliveries);
    shares.give(lane.organizationId, deliveries.length);
    if (!isClosed) wake({ lane: lane.key, organizationId: lane.organizationId });
  }

  /** The lane's slot becomes free when the receiver has accepted, the process's slot when the attempt is recorded. */
  async function makeAttempt(lane: Lane, delivery: ClaimedDelivery): Promise<void> {
    const startedAtMs = lane.limit.start();
    let outcome: Outcome = 'ours';
    let isOpen = true;
    const end = () => {
      if (!isOpen) return;
      isOpen = false;
      lane.limit.end(startedAtMs, outcome, maxHere(lane));
      startAhead(lane);
      schedule(lane);
    };
    const isDelivered = await args.attempt(delivery, (of) => {
      // One request alone says nothing about how many the receiver takes.
      outcome = delivery.isProbe && of !== 'accepted' ? 'ours' : of;
      if (of === 'accepted') lane.isHeld = false;
      else if (of !== 'ours' && delivery.endpointId !== null) lane.isHeld = true;
      if (of === 'accepted') end();
      return foundLimit(lane);
    });
    end();
    shares.give(delivery.organizationId, 1);
    // A failing endpoint has recovered: the deliveries behind the probe may be sent.
    if (delivery.isProbe && isDelivered) wake(delivery);
    claimReady();
  }

  function foundLimit(lane: Lane): number | null {
    const found = lane.limit.found();
    return found === null ? null : Math.round(Math.min(found, maxHere(lane)) * args.senders());
  }

  function wake(to: LaneOf): void {
    const lane = open(to);
    lane.hasPending = true;
    schedule(lane);
  }

  /** What was claimed ahead of a receiver that has stopped responding must not keep its places. */
  const looking = setInterval(() => lanes.forEach(startAhead), lookEveryMs).unref();

  return {
    reserve(to) {
      const lane = open(to);
      const isFree = !isClosed && !lane.hasPending && shares.roomOf(lane.organizationId) > 0;
      const isNext = lane.ahead.length === 0;
      const kind = isNext && roomOf(lane) > 0 ? 'start' : 'ahead';
      if (isFree && (kind === 'start' || aheadRoom(lane) > 0)) {
        promise(lane, kind === 'start' ? 1 : 0, kind === 'ahead' ? 1 : 0);
        return kind;
      }
      schedule(lane);
      return null;
    },
    release(key, kind, places = 1) {
      const lane = lanes.get(key);
      if (!lane || places === 0) return;
      releasePlaces(lane, kind, places);
      schedule(lane);
    },
    run,
    wake,
    close() {
      isClosed = true;
      clearInterval(looking);
      for (const lane of lanes.values()) {
        if (lane.pause) clearTimeout(lane.pause);
        startAhead(lane);
      }
    },
    idle: shares.idle,
    limits: () => [...lanes.values()].map((lane) => Math.min(maxHere(lane), lane.limit.value())),
    slotsTaken: shares.taken,
    claimedAhead: () => [...lanes.values()].reduce((sum, { ahead }) => sum + ahead.length, 0),
  };
}
