import type { ClaimedDelivery } from '@holdfast/db/webhooks/lanes';
import { limits } from '@holdfast/domain/limits';
import { createShares } from '@holdfast/kit/shares';
import { LRUCache } from 'lru-cache';
import type { Attempt, ClaimLane } from './delivery.ts';
import {
  admit,
  type ClaimRequest,
  cancelReservation,
  canStartMore,
  type Effect,
  endAttempt,
  endClaim,
  endGiveBack,
  foundLimit,
  type Health,
  handOverPending,
  isEmpty,
  type Lane,
  maxHere,
  type Now,
  newHealth,
  newLane,
  type OpenRequest,
  type Reservation,
  reserve,
  respond,
  restoreLimit,
  slotsInUse,
  slotsOf,
  startAhead,
  startClaim,
  startWaiting,
  waitingIn,
  wantsTurn,
} from './lane.ts';
import { createLimit, type Limit } from './limit.ts';
import { createTurns } from './turns.ts';

export type LaneOf = {
  lane: string;
  organizationId: string;
  /** Maximum number of open requests in all senders together. If unknown, the first claim returns it. */
  maxInFlight?: number;
  /** What senders found so far; null: nothing. */
  inFlightLimit?: number | null;
};

/** Room for one delivery, which is then claimed and sent, or not claimed and the offer cancelled. */
export type Offer = { kind: Reservation; send(delivery: ClaimedDelivery): void; cancel(): void };

/** Limits open requests, per lane and in total. The deliveries of a full lane stay in the database and are claimed later. */
export type Lanes = {
  /** The one way in for a delivery that is not claimed by its lane. Null: the lane is full or has pending deliveries. */
  offer(to: LaneOf, body: string): Offer | null;
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
const lookEveryMs = 1000;
/** Deliveries of all lanes that wait without a slot: some 20 MB with bodies of 1 KB. */
const maxWaiting = 12_000;

/**
 * Carries out what lanes decide (lane.ts). `maxInFlight` and limit of a lane are divided by the number of senders.
 * Organizations share the `size` slots (kit/shares); a delivery has one from its claim until its attempt is recorded.
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
  /** What the shares know of each lane. */
  const countedOf = new WeakMap<Lane, { slots: number; waiting: number }>();
  const turns = createTurns({ roomOf: shares.roomOf, shareOf });
  let looking: NodeJS.Timeout | undefined;
  let isClosed = false;

  const now = (): Now => ({ ms: performance.now(), senders: args.senders(), isClosed });

  function laneFor(to: LaneOf): Lane {
    const lane = lanes.get(to.lane) ?? add(to);
    lane.maxInFlight = to.maxInFlight ?? lane.maxInFlight;
    restoreLimit(lane, to.inFlightLimit ?? null, now());
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

  /** A lane may take half of what its organization may: if it hangs, the other lanes still have slots. */
  function shareOf(lane: Lane): number {
    return Math.max(0, Math.ceil((shares.roomOf(lane.organizationId) - slotsInUse(lane)) / 2));
  }

  /** After every change of a lane: does what it decided, and lets it and others use what became free. */
  function proceed(lane: Lane, effects: Effect[]): void {
    carryOut(lane, [...effects, ...handOverPending(lane, now())]);
    if (wantsTurn(lane, shareOf(lane), now())) turns.add(lane);
    else if (isEmpty(lane)) lanes.delete(lane.key);
    takeTurns();
  }

  function carryOut(lane: Lane, effects: Effect[]): void {
    for (const effect of effects) {
      if (effect.do === 'attempt') void attempt(lane, effect.request);
      else if (effect.do === 'giveBack') void giveBack(lane, effect.deliveries);
      else if (effect.do === 'pause') setTimeout(() => endPause(lane), effect.ms).unref();
      else args.handOver({ lane: lane.key, organizationId: lane.organizationId });
    }
    const counted = countedOf.get(lane) ?? { slots: 0, waiting: 0 };
    countedOf.set(lane, counted);
    shares.change(lane.organizationId, slotsOf(lane) - counted.slots);
    counted.slots = slotsOf(lane);
    waitingShares.change(lane.organizationId, waitingIn(lane) - counted.waiting);
    counted.waiting = waitingIn(lane);
  }

  function takeTurns(maxTries?: number): void {
    if (isClosed || shares.taken() >= args.size) return;
    for (const lane of turns.next(maxTries)) {
      carryOut(lane, startWaiting(lane, shareOf(lane), now()));
      if (canStartMore(lane, now())) turns.add(lane);
      const request = startClaim(lane, shareOf(lane), now());
      if (request) void claim(lane, request);
      if (shares.taken() >= args.size) return;
    }
  }

  async function claim(lane: Lane, request: ClaimRequest): Promise<void> {
    carryOut(lane, []);
    const { slots, ahead } = request;
    // A failed claim is logged where it is made, and a sweep wakes the lane.
    const result = await args.claim({ lane: lane.key, slots, ahead }).catch(() => null);
    proceed(lane, endClaim(lane, request, result, now()));
  }

  async function attempt(lane: Lane, request: OpenRequest): Promise<void> {
    const isDelivered = await args.attempt(request.delivery, (reaction) => {
      proceed(lane, respond(lane, request, reaction, now()));
      return foundLimit(lane, now());
    });
    proceed(lane, endAttempt(lane, request, isDelivered, now()));
  }

  async function giveBack(lane: Lane, deliveries: ClaimedDelivery[]): Promise<void> {
    await args.giveBack(deliveries);
    endGiveBack(lane, deliveries);
    proceed(lane, []);
  }

  function endPause(lane: Lane): void {
    lane.isPausing = false;
    proceed(lane, []);
  }

  /** Deliveries claimed ahead for a silent receiver must not keep its slots, nor may its lane keep those of others. */
  function look(): void {
    if (lanes.size === 0) return stopLooking();
    for (const lane of lanes.values()) carryOut(lane, startAhead(lane, now()));
    takeTurns(Number.POSITIVE_INFINITY);
  }

  function stopLooking(): void {
    clearInterval(looking);
    looking = undefined;
  }

  function send(lane: Lane, kind: Reservation, delivery: ClaimedDelivery): void {
    const effects = admit(lane, kind, delivery, now());
    if (kind === 'start') carryOut(lane, effects);
    else if (!isClosed) proceed(lane, effects);
    // Those that came together are given back together.
    else queueMicrotask(() => proceed(lane, startAhead(lane, now())));
  }

  function wake(to: LaneOf): void {
    const lane = laneFor(to);
    lane.hasPending = true;
    proceed(lane, []);
  }

  return {
    offer(to, body) {
      const lane = laneFor(to);
      const room = { share: shareOf(lane), waitingShare: waitingShares.roomOf(to.organizationId) };
      const kind = reserve(lane, body, room, now());
      if (kind === null) {
        proceed(lane, []);
        return null;
      }
      carryOut(lane, []);
      return {
        kind,
        send: (delivery) => send(lane, kind, delivery),
        cancel: () => proceed(lane, cancelReservation(lane, kind, body, now())),
      };
    },
    wake,
    wakeUnlessHeld(to) {
      if (!knownOf.get(to.lane)?.health.isHeld) wake(to);
    },
    close() {
      isClosed = true;
      stopLooking();
      for (const lane of lanes.values()) {
        // With those that were claimed ahead, once they are given back.
        if (lane.ahead.length + lane.waiting.length > 0) lane.hasPending = false;
        proceed(lane, startAhead(lane, now()));
      }
    },
    idle: shares.idle,
    limits: () => [...lanes.values()].map((lane) => Math.min(maxHere(lane, now()), lane.limit.value())),
    slotsTaken: shares.taken,
    claimedAhead: () =>
      [...lanes.values()].reduce((sum, { ahead, waiting }) => sum + ahead.length + waiting.length, 0),
  };
}
