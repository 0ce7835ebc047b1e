import type { ClaimedDelivery } from '@holdfast/db/webhooks/lanes';
import type { AttemptDelivery, ClaimLane } from './delivery.ts';
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
  handOverPending,
  isEmpty,
  type Lane,
  maxHere,
  type Now,
  type OpenRequest,
  type Reservation,
  reserve,
  respond,
  startAhead,
  startClaim,
  startWaiting,
  wantsTurn,
} from './lane.ts';
import { createLaneTable, type LaneOf, type LaneTable } from './laneTable.ts';
import { createTurns, type Turns } from './turns.ts';

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

const lookEveryMs = 1000;

type LaneServices = {
  claim: ClaimLane;
  attempt: AttemptDelivery;
  giveBack(deliveries: ClaimedDelivery[]): Promise<void>;
  /** Lets another process claim the lane. */
  handOver(lane: { lane: string; organizationId: string }): void;
};

/** A delivery has a slot from its claim until its attempt is recorded. */
export function createLanes(
  args: LaneServices & {
    size: number;
    /** By which `maxInFlight` and limit of a lane are divided. */
    senders(): number;
  },
): Lanes {
  const table = createLaneTable(args.senders);
  const turns = createTurns(args.size);
  let looking: NodeJS.Timeout | null = null;
  let isClosed = false;
  const now = (): Now => ({ ms: performance.now(), senders: args.senders(), isClosed });
  const { proceed, carryOut, takeTurns } = createRunner(args, { table, turns, now });

  function find(to: LaneOf): Lane {
    if (!isClosed) looking ??= setInterval(look, lookEveryMs).unref();
    return table.find(to);
  }

  /** Deliveries claimed ahead for a silent receiver must not keep its slots, nor may its lane keep those of others. */
  function look(): void {
    const lanes = table.all();
    if (lanes.length === 0) return stopLooking();
    for (const lane of lanes) carryOut(lane, startAhead(lane, now()));
    takeTurns(Number.POSITIVE_INFINITY);
  }

  function stopLooking(): void {
    if (looking) clearInterval(looking);
    looking = null;
  }

  function send(lane: Lane, kind: Reservation, delivery: ClaimedDelivery): void {
    const effects = admit(lane, kind, delivery, now());
    if (kind === 'start') carryOut(lane, effects);
    else if (!isClosed) proceed(lane, effects);
    // Deliveries that came together are given back together.
    else queueMicrotask(() => proceed(lane, startAhead(lane, now())));
  }

  function offer(to: LaneOf, body: string): Offer | null {
    const lane = find(to);
    const room = { share: turns.shareOf(lane), waitingShare: turns.waitingShareOf(lane) };
    const kind = reserve(lane, body, room, now());
    if (kind === null) {
      proceed(lane, []);
      return null;
    }
    turns.count(lane);
    return {
      kind,
      send: (delivery) => send(lane, kind, delivery),
      cancel: () => proceed(lane, cancelReservation(lane, kind, body, now())),
    };
  }

  function wake(to: LaneOf): void {
    const lane = find(to);
    lane.hasPending = true;
    proceed(lane, []);
  }

  function close(): void {
    isClosed = true;
    stopLooking();
    for (const lane of table.all()) {
      // The lane is handed over with what it claimed ahead, once that is given back.
      if (lane.ahead.length + lane.waiting.length > 0) lane.hasPending = false;
      proceed(lane, startAhead(lane, now()));
    }
  }

  return {
    offer,
    wake,
    wakeUnlessHeld: (to) => void (table.healthOf(to.lane)?.isHeld || wake(to)),
    close,
    idle: turns.idle,
    limits: () => table.all().map((lane) => Math.min(maxHere(lane, now()), lane.limit.value())),
    slotsTaken: turns.slotsTaken,
    claimedAhead: () =>
      table.all().reduce((sum, { ahead, waiting }) => sum + ahead.length + waiting.length, 0),
  };
}

/** Carries out what lanes decide (lane.ts). */
function createRunner(
  services: LaneServices,
  { table, turns, now }: { table: LaneTable; turns: Turns; now(): Now },
) {
  /** After every change of a lane: does what it decided, and lets it and others use what became free. */
  function proceed(lane: Lane, effects: Effect[]): void {
    carryOut(lane, [...effects, ...handOverPending(lane, now())]);
    if (wantsTurn(lane, turns.shareOf(lane), now())) turns.add(lane);
    else if (isEmpty(lane)) table.forget(lane);
    takeTurns();
  }

  function carryOut(lane: Lane, effects: Effect[]): void {
    for (const effect of effects) {
      if (effect.do === 'attempt') void attempt(lane, effect.request);
      else if (effect.do === 'giveBack') void giveBack(lane, effect.deliveries);
      else if (effect.do === 'pause') setTimeout(() => endPause(lane), effect.ms).unref();
      else services.handOver({ lane: lane.key, organizationId: lane.organizationId });
    }
    turns.count(lane);
  }

  function takeTurns(maxTries?: number): void {
    if (now().isClosed) return;
    for (const lane of turns.next(maxTries)) {
      carryOut(lane, startWaiting(lane, turns.shareOf(lane), now()));
      if (canStartMore(lane, now())) turns.add(lane);
      const request = startClaim(lane, turns.shareOf(lane), now());
      if (request) void claim(lane, request);
    }
  }

  async function claim(lane: Lane, request: ClaimRequest): Promise<void> {
    turns.count(lane);
    const { slots, ahead } = request;
    // A failed claim is logged where it is made, and a sweep wakes the lane.
    const result = await services.claim({ lane: lane.key, slots, ahead }).catch(() => null);
    proceed(lane, endClaim(lane, request, result, now()));
  }

  async function attempt(lane: Lane, request: OpenRequest): Promise<void> {
    const isDelivered = await services.attempt(request.delivery, (reaction) => {
      proceed(lane, respond(lane, request, reaction, now()));
      return foundLimit(lane, now());
    });
    proceed(lane, endAttempt(lane, request, isDelivered, now()));
  }

  async function giveBack(lane: Lane, deliveries: ClaimedDelivery[]): Promise<void> {
    await services.giveBack(deliveries);
    endGiveBack(lane, deliveries);
    proceed(lane, []);
  }

  function endPause(lane: Lane): void {
    lane.isPausing = false;
    proceed(lane, []);
  }

  return { proceed, carryOut, takeTurns };
}
