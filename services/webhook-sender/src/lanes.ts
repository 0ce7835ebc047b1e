import type { ClaimedDelivery, LaneClaim } from '@holdfast/db/webhooks/lanes';
import { limits } from '@holdfast/domain/limits';
import { createShares } from '@holdfast/kit/shares';
import { LRUCache } from 'lru-cache';
import type { Attempt, ClaimLane } from './delivery.ts';
import {
  aheadRoom,
  extraOf,
  extraPlaces,
  type Health,
  isRunningOut,
  type Lane,
  newHealth,
  newLane,
  placesOf,
  slotRoom,
  takeStale,
  waitingIn,
  waitingRoom,
  writtenRoom,
} from './lane.ts';
import { createLimit, type Limit, type Outcome } from './limit.ts';

export type LaneOf = {
  lane: string;
  organizationId: string;
  /** Maximum number of open requests in all senders together. If unknown, the first claim returns it. */
  maxInFlight?: number;
  /** What senders found so far; null: nothing. */
  inFlightLimit?: number | null;
};

/**
 * A slot for a request that starts at once, or room for a delivery that waits for one. One that only `waits` has none of
 * the process's places, and gets one when its lane could claim as much.
 */
export type Place = 'start' | 'ahead' | 'waits';

/** Limits open requests, per lane and in total. The deliveries of a full lane stay in the database and are claimed later. */
export type Lanes = {
  /**
   * Reserves a place for a delivery that is about to be claimed, and more for a large body. Null: the lane is full or has
   * pending deliveries.
   */
  reserve(to: LaneOf, body: string): Place | null;
  release(lane: string, place: Place, body: string): void;
  /** Sends a claimed delivery whose place was reserved. */
  run(delivery: ClaimedDelivery, place: Place): void;
  /** Reports pending deliveries of a lane: they are claimed as soon as there is room. */
  wake(to: LaneOf): void;
  /** Reports deliveries that were written while the endpoint was failing: it may have recovered meanwhile. */
  wakeUnlessHeld(to: LaneOf): void;
  /** Lanes with deliveries that this process will not send are handed over, from then on too. */
  close(): void;
  idle(): Promise<void>;
  limits(): number[];
  slotsTaken(): number;
  claimedAhead(): number;
};

/** Some kilobytes of what outlives the lanes, which are forgotten as soon as they are idle. */
const lanesKept = 10_000;
/** Lanes of an organization that are looked at for one that may claim; every `lookEveryMs`, all. */
const lanesTried = 8;
const lookEveryMs = 1000;
/** Deliveries of all lanes that wait without a place: some 20 MB with bodies of 1 KB. */
const maxWaiting = 12_000;
const maxWaitingBody = 4096;

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
  /** Lets another process claim the lane. */
  handOver(lane: { lane: string; organizationId: string }): void;
}): Lanes {
  const lanes = new Map<string, Lane>();
  const knownOf = new LRUCache<string, { limit: Limit; health: Health }>({ max: lanesKept });
  const shares = createShares(args.size);
  const waitingShares = createShares(maxWaiting);
  /** Lanes that can claim, by organization; both take turns in this order. */
  const ready = new Map<string, Set<Lane>>();
  let looking: NodeJS.Timeout | undefined;
  let isClosed = false;

  function open(to: LaneOf): Lane {
    const lane = lanes.get(to.lane) ?? add(to);
    lane.maxInFlight = to.maxInFlight ?? lane.maxInFlight;
    restoreLimit(lane, to.inFlightLimit ?? null);
    return lane;
  }

  function add({ lane: key, organizationId }: LaneOf): Lane {
    const maxInFlight = key.startsWith('wh_') ? limits.webhookMaxInFlight : limits.webhookUrlMaxInFlight;
    const known = knownOf.get(key) ?? { limit: createLimit(() => 1 / args.senders()), health: newHealth() };
    knownOf.set(key, known);
    const lane = newLane({ key, organizationId, maxInFlight, ...known });
    lanes.set(key, lane);
    if (!isClosed) looking ??= setInterval(look, lookEveryMs).unref();
    return lane;
  }

  function restoreLimit(lane: Lane, ofAllSenders: number | null): void {
    if (ofAllSenders !== null) lane.limit.restore(ofAllSenders / args.senders());
  }

  const maxHere = (lane: Lane) => Math.max(1, Math.floor(lane.maxInFlight / args.senders()));
  const roomOf = (lane: Lane) => slotRoom(lane, maxHere(lane));

  /** A lane may take half of what its organization may: if it hangs, the other lanes still have places. */
  function shareOf(lane: Lane): number {
    return Math.max(0, Math.ceil((shares.roomOf(lane.organizationId) - placesOf(lane)) / 2));
  }

  function promise(lane: Lane, slots: number, ahead: number): void {
    lane.starting += slots;
    lane.aheadPromised += ahead;
    shares.take(lane.organizationId, slots + ahead);
  }

  /** For large bodies: more than the share of the lane, if need be. */
  function takeExtra(lane: Lane, places: number): void {
    lane.extra += places;
    shares.take(lane.organizationId, places);
  }

  /** Queues the lane behind the others of its organization: a lane that is never empty must not keep all slots. */
  function schedule(lane: Lane): void {
    if (isClosed && lane.hasPending && !lane.isClaiming) handOver(lane);
    const canClaim = !lane.isClaiming && lane.pause === null;
    const mayStart = roomOf(lane) > 0 && (lane.waiting.length > 0 || (lane.hasPending && canClaim));
    if (mayStart || (lane.hasPending && canClaim && isRunningOut(lane, shareOf(lane)))) queue(lane);
    else if (!lane.hasPending && canClaim && placesOf(lane) + waitingIn(lane) === 0) lanes.delete(lane.key);
    claimReady();
  }

  function handOver(lane: Lane): void {
    lane.hasPending = false;
    args.handOver({ lane: lane.key, organizationId: lane.organizationId });
  }

  function queue(lane: Lane): void {
    const others = ready.get(lane.organizationId);
    if (others) others.add(lane);
    else ready.set(lane.organizationId, new Set([lane]));
  }

  function claimReady(tries = lanesTried): void {
    if (isClosed) return;
    for (const [organizationId, queued] of ready) {
      // Thousands may be queued: stop as soon as there is no slot.
      if (shares.taken() >= args.size) return;
      const lane = shares.roomOf(organizationId) > 0 ? takeNext(queued, tries) : null;
      if (!lane) continue;
      ready.delete(organizationId);
      if (queued.size > 0) ready.set(organizationId, queued);
      startWaiting(lane);
      const share = shareOf(lane);
      const slots = lane.waiting.length > 0 ? 0 : Math.min(roomOf(lane), share);
      const ahead = Math.min(aheadRoom(lane), share - slots);
      const canClaim = lane.hasPending && !lane.isClaiming && lane.pause === null;
      if (canClaim && slots + ahead > 0) void claim(lane, slots, ahead);
    }
  }

  /** Gives places to waiting deliveries, as many as a claim could have. */
  function startWaiting(lane: Lane): void {
    if (lane.waiting.length === 0 || lane.health.isHeld || lane.isPaced) return;
    giveBackStale(lane, performance.now());
    for (let slots = Math.min(roomOf(lane), shareOf(lane)); slots > 0; slots--) {
      const delivery = lane.waiting.shift();
      if (!delivery) return;
      waitingShares.give(lane.organizationId, 1);
      promise(lane, 1, 0);
      run(delivery, 'start');
    }
    if (lane.waiting.length > 0 && roomOf(lane) > 0) queue(lane);
  }

  /** A lane with its share queues again: each of its responses makes room, and is followed by another look. */
  function takeNext(queued: Set<Lane>, maxTries: number): Lane | null {
    for (let tries = Math.min(queued.size, maxTries); tries > 0; tries--) {
      const [lane] = queued;
      if (!lane) return null;
      queued.delete(lane);
      if (shareOf(lane) > 0) return lane;
      queued.add(lane);
    }
    return null;
  }

  async function claim(lane: Lane, slots: number, ahead: number): Promise<void> {
    lane.hasPending = false;
    lane.isClaiming = true;
    promise(lane, slots, ahead);
    const { failures } = lane.health;
    // A failed claim is logged where it is made, and a sweep wakes the lane.
    const result = await args.claim({ lane: lane.key, slots, ahead }).catch(() => null);
    lane.isClaiming = false;
    if (result) applyClaim(lane, result, slots, ahead);
    const isAllowed = (result?.claimed ?? []).some(({ isProbe }) => !isProbe);
    if (isAllowed && lane.health.failures === failures) lane.health.isHeld = false;
    const claimed = result?.claimed ?? [];
    const started = claimed.filter(({ isCounted }) => isCounted).length;
    takeExtra(lane, extraOf(claimed));
    for (const delivery of claimed) run(delivery, delivery.isCounted ? 'start' : 'ahead');
    releasePlaces(lane, 'start', slots - started);
    releasePlaces(lane, 'ahead', ahead - (claimed.length - started));
    proceed(lane);
  }

  function applyClaim(lane: Lane, result: LaneClaim, slots: number, ahead: number): void {
    const { claimed, ended, hasMore, maxInFlight, inFlightLimit, waitMs } = result;
    lane.maxInFlight = maxInFlight ?? lane.maxInFlight;
    restoreLimit(lane, inFlightLimit);
    const isProbe = claimed.some((delivery) => delivery.isProbe);
    const requested = Math.min(slots, maxHere(lane)) + ahead;
    const mayHaveMore = hasMore || ended.length > 0 || claimed.length >= requested || waitMs !== null;
    if (mayHaveMore && !isProbe) lane.hasPending = true;
    lane.isPaced = waitMs !== null;
    if (waitMs !== null) pause(lane, waitMs);
  }

  function pause(lane: Lane, ms: number): void {
    lane.pause = setTimeout(() => {
      lane.pause = null;
      schedule(lane);
    }, ms);
  }

  function releasePlaces(lane: Lane, kind: Place, places: number): void {
    if (kind === 'start') lane.starting -= places;
    else if (kind === 'ahead') lane.aheadPromised -= places;
    else lane.waitingPromised -= places;
    if (places > 0) (kind === 'waits' ? waitingShares : shares).give(lane.organizationId, places);
  }

  function run(delivery: ClaimedDelivery, place: Place): void {
    const lane = lanes.get(delivery.lane);
    if (!lane) throw new Error('a delivery was claimed without a place in its lane');
    if (place === 'start') {
      lane.starting -= 1;
      void makeAttempt(lane, delivery);
      return;
    }
    if (place === 'ahead') {
      lane.aheadPromised -= 1;
      lane.ahead.push(delivery);
    } else {
      lane.waitingPromised -= 1;
      lane.waiting.push(delivery);
    }
    // Those that came together are given back together.
    if (isClosed) queueMicrotask(() => startAhead(lane));
    else if (place === 'ahead') startAhead(lane);
    else schedule(lane);
  }

  /** After slots became free. */
  function proceed(lane: Lane): void {
    startAhead(lane);
    schedule(lane);
  }

  function startAhead(lane: Lane): void {
    giveBackStale(lane, isClosed ? Number.POSITIVE_INFINITY : performance.now());
    while (!lane.health.isHeld && roomOf(lane) > 0) {
      const delivery = lane.ahead.shift();
      if (!delivery) return;
      void makeAttempt(lane, delivery);
    }
  }

  function giveBackStale(lane: Lane, nowMs: number): void {
    const ahead = takeStale(lane.ahead, nowMs);
    const waited = takeStale(lane.waiting, nowMs);
    if (ahead.length + waited.length === 0) return;
    lane.extra -= extraOf(ahead);
    waitingShares.give(lane.organizationId, waited.length);
    // So that the process is not idle before they are given back.
    shares.take(lane.organizationId, waited.length);
    void giveBack(lane, [...ahead, ...waited]);
  }

  async function giveBack(lane: Lane, deliveries: ClaimedDelivery[]): Promise<void> {
    await args.giveBack(deliveries);
    if (isClosed) handOver(lane);
    shares.give(lane.organizationId, deliveries.length + extraOf(deliveries));
    if (!isClosed) wake({ lane: lane.key, organizationId: lane.organizationId });
  }

  /** The lane's slot becomes free when the receiver has accepted, the process's slot when the attempt is recorded. */
  async function makeAttempt(lane: Lane, delivery: ClaimedDelivery): Promise<void> {
    const startedAtMs = lane.limit.start();
    let outcome: Outcome = 'ours';
    let isOpen = true;
    let isFailure = false;
    const { health } = lane;
    const extra = extraPlaces(delivery.body);
    const end = () => {
      if (!isOpen) return;
      isOpen = false;
      lane.extra -= extra;
      lane.limit.end(startedAtMs, outcome, maxHere(lane));
      proceed(lane);
    };
    const isDelivered = await args.attempt(delivery, (of) => {
      // One request alone says nothing about how many the receiver takes.
      outcome = delivery.isProbe && of !== 'accepted' ? 'ours' : of;
      isFailure = of !== 'accepted' && of !== 'ours' && delivery.endpointId !== null;
      if (isFailure) health.failures += 1;
      if (isFailure || of === 'accepted') health.isHeld = isFailure;
      if (of === 'accepted') end();
      return foundLimit(lane);
    });
    end();
    shares.give(delivery.organizationId, 1 + extra);
    health.mayHaveUnclaimed ||= isFailure;
    // A failing endpoint has recovered: the deliveries that waited for it may be sent.
    if (isDelivered && (delivery.isProbe || health.mayHaveUnclaimed)) {
      health.mayHaveUnclaimed = false;
      wake(delivery);
    }
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

  /** Deliveries claimed ahead for a silent receiver must not keep its places, nor may its lane keep those of others. */
  function look(): void {
    if (lanes.size === 0) return stopLooking();
    lanes.forEach(startAhead);
    claimReady(Number.POSITIVE_INFINITY);
  }

  function stopLooking(): void {
    clearInterval(looking);
    looking = undefined;
  }

  return {
    reserve(to, body) {
      const lane = open(to);
      const isFree = !isClosed && !lane.hasPending && shareOf(lane) > 0 && waitingIn(lane) === 0;
      const isNext = lane.ahead.length === 0;
      const kind = isNext && roomOf(lane) > 0 ? 'start' : 'ahead';
      // During a claim, what it promised belongs to the older deliveries that wait for it.
      const room = lane.isClaiming ? aheadRoom(lane) : writtenRoom(lane);
      if (isFree && (kind === 'start' || room > 0)) {
        promise(lane, kind === 'start' ? 1 : 0, kind === 'ahead' ? 1 : 0);
        takeExtra(lane, extraPlaces(body));
        return kind;
      }
      const isKept = body.length <= maxWaitingBody && !isClosed && !lane.hasPending;
      if (isKept && waitingShares.roomOf(to.organizationId) > 0 && waitingRoom(lane) > 0) {
        lane.waitingPromised += 1;
        waitingShares.take(to.organizationId, 1);
        return 'waits';
      }
      schedule(lane);
      return null;
    },
    release(key, place, body) {
      const lane = lanes.get(key);
      if (!lane) return;
      const extra = extraPlaces(body);
      lane.extra -= extra;
      shares.give(lane.organizationId, extra);
      releasePlaces(lane, place, 1);
      proceed(lane);
    },
    run,
    wake,
    wakeUnlessHeld(to) {
      if (!knownOf.get(to.lane)?.health.isHeld) wake(to);
    },
    close() {
      isClosed = true;
      stopLooking();
      for (const lane of lanes.values()) {
        if (lane.pause) clearTimeout(lane.pause);
        // With those that were claimed ahead, once they are given back.
        if (lane.ahead.length + lane.waiting.length > 0) lane.hasPending = false;
        proceed(lane);
      }
    },
    idle: shares.idle,
    limits: () => [...lanes.values()].map((lane) => Math.min(maxHere(lane), lane.limit.value())),
    slotsTaken: shares.taken,
    claimedAhead: () =>
      [...lanes.values()].reduce((sum, { ahead, waiting }) => sum + ahead.length + waiting.length, 0),
  };
}
