import type { ClaimedDelivery, LaneClaim } from '@holdfast/db/webhooks/lanes';
import type { Limit, Reaction } from './limit.ts';

/**
 * What a lane grants to a delivery before it is claimed: a slot, so that it starts at once; a slot in which it waits
 * behind the open requests; or, for a small body, only room in memory, until the lane gets a slot for it.
 */
export type Reservation = 'start' | 'ahead' | 'waits';

/**
 * The deliveries of one endpoint, or of a group of an organization's `webhook_url`s, in this process. The functions below
 * are all that changes it; they return what the runner (lanes.ts) has to do.
 */
export type Lane = {
  readonly key: string;
  readonly organizationId: string;
  /** Maximum number of open requests in all senders together. */
  maxInFlight: number;
  readonly limit: Limit;
  readonly health: Health;
  /** How many deliveries claims and fan-outs may still bring. */
  readonly reserved: Record<Reservation, number>;
  readonly ahead: ClaimedDelivery[];
  readonly waiting: ClaimedDelivery[];
  /** Slots that large bodies take beyond one for each delivery. */
  extra: number;
  /** Slots of attempts that are being recorded, and of deliveries that are being given back. */
  leaving: number;
  /** The database may have due deliveries. */
  hasPending: boolean;
  isClaiming: boolean;
  /** The endpoint has `max_per_second`. */
  isPaced: boolean;
  isPausing: boolean;
};

/** How attempts at a lane's endpoint ended; outlives the lane. */
export type Health = {
  /** The last attempt failed: deliveries claimed ahead wait, because the endpoint may only be probed. */
  isHeld: boolean;
  /** All so far: a claim that was made before the last one does not know of it. */
  failures: number;
  /** Since a failure was recorded, deliveries may have been written that nothing claims before the next success. */
  mayHaveUnclaimed: boolean;
};

/** What holds for all lanes of the process at the moment. */
export type Now = { ms: number; senders: number; isClosed: boolean };

export type OpenRequest = {
  readonly delivery: ClaimedDelivery;
  readonly startedAtMs: number;
  reaction: Reaction;
  hasSlot: boolean;
  isFailure: boolean;
};

export type Effect =
  | { do: 'attempt'; request: OpenRequest }
  | { do: 'giveBack'; deliveries: ClaimedDelivery[] }
  | { do: 'handOver' }
  | { do: 'pause'; ms: number };

export type ClaimRequest = { slots: number; ahead: number; failures: number };

export const newHealth = (): Health => ({ isHeld: false, failures: 0, mayHaveUnclaimed: false });

export function newLane(of: Pick<Lane, 'key' | 'organizationId' | 'maxInFlight' | 'limit' | 'health'>): Lane {
  const reserved = { start: 0, ahead: 0, waits: 0 };
  const flags = { hasPending: false, isClaiming: false, isPaced: false, isPausing: false };
  return { ...of, reserved, ahead: [], waiting: [], extra: 0, leaving: 0, ...flags };
}

/** A slot holds this much of a body, so that slots bound the memory of requests. */
export const slotBytes = 16_384;

const extraSlots = (body: string): number => Math.max(0, Math.ceil(body.length / slotBytes) - 1);

const slotsFor = (deliveries: readonly ClaimedDelivery[]): number =>
  deliveries.reduce((sum, { body }) => sum + 1 + extraSlots(body), 0);

/** Slots of requests without a response, and of those to come. */
export const slotsInUse = ({ limit, reserved, ahead, extra }: Lane): number =>
  limit.open() + reserved.start + reserved.ahead + ahead.length + extra;

/** All slots of the process that the lane has. @throws when it has released more than it had */
export function slotsOf(lane: Lane): number {
  const { reserved, extra, leaving, limit } = lane;
  if (Math.min(reserved.start, reserved.ahead, reserved.waits, extra, leaving, limit.open()) < 0)
    throw new Error(`lane ${lane.key} has released a slot twice`);
  return slotsInUse(lane) + leaving;
}

/** Deliveries without a slot. */
export const waitingIn = ({ waiting, reserved }: Lane): number => waiting.length + reserved.waits;

export const isEmpty = (lane: Lane): boolean =>
  !lane.hasPending && !lane.isClaiming && !lane.isPausing && slotsOf(lane) + waitingIn(lane) === 0;

export const maxHere = ({ maxInFlight }: Lane, { senders }: Now): number =>
  Math.max(1, Math.floor(maxInFlight / senders));

const slotRoom = (lane: Lane, now: Now): number =>
  Math.max(0, Math.min(maxHere(lane, now), lane.limit.value()) - lane.limit.open() - lane.reserved.start);

/** Enough for a claim's round trip, and far less than a lease. */
const claimedS = 0.25;
/** For deliveries that come with their claim: to give them back and claim them again would cost two writes. */
const writtenS = 1;
const maxAhead = 512;
/** Less than `aheadForMs`: what is not sent by then is given back, and was written once too often. */
const waitingS = 2;
/** When a burst comes, the rate is not known yet. */
const firstBurst = 400;
const maxWaitingBody = 4096;

/** For how many more deliveries a lane has work for some seconds, by its rate of responses. */
function aheadRoom(lane: Lane, seconds: number): number {
  if (lane.health.isHeld || lane.isPaced) return 0;
  const target = Math.min(maxAhead, Math.ceil(lane.limit.perS() * seconds));
  return Math.max(0, target - lane.ahead.length - lane.reserved.ahead - waitingIn(lane));
}

function waitingRoom(lane: Lane): number {
  if (lane.health.isHeld || lane.isPaced || lane.limit.isSilent()) return 0;
  return Math.max(0, Math.max(firstBurst, Math.ceil(lane.limit.perS() * waitingS)) - waitingIn(lane));
}

const canClaim = (lane: Lane): boolean => lane.hasPending && !lane.isClaiming && !lane.isPausing;
const canStartWaiting = (lane: Lane): boolean =>
  lane.waiting.length > 0 && !lane.health.isHeld && !lane.isPaced;

/** Whether deliveries wait only for the process to have a slot for them. */
export const canStartMore = (lane: Lane, now: Now): boolean =>
  canStartWaiting(lane) && slotRoom(lane, now) > 0;

/** Whether the lane could start or claim something with that many slots: one claim is for many deliveries. */
export function wantsTurn(lane: Lane, share: number, now: Now): boolean {
  if (canStartMore(lane, now) || (canClaim(lane) && slotRoom(lane, now) > 0)) return true;
  const room = Math.min(aheadRoom(lane, claimedS), share);
  return canClaim(lane) && room > 0 && room >= lane.ahead.length + lane.reserved.ahead;
}

/** `share`: the slots it may take; `waitingShare`: how many more may wait in memory. Null: the lane is full or has pending deliveries. */
export function reserve(
  lane: Lane,
  body: string,
  { share, waitingShare }: { share: number; waitingShare: number },
  now: Now,
): Reservation | null {
  const kind = now.isClosed || lane.hasPending ? null : kindOfRoom(lane, body, share, waitingShare, now);
  if (kind === null) return null;
  lane.reserved[kind] += 1;
  if (kind !== 'waits') lane.extra += extraSlots(body);
  return kind;
}

function kindOfRoom(
  lane: Lane,
  body: string,
  share: number,
  waitingShare: number,
  now: Now,
): Reservation | null {
  if (share > 0 && waitingIn(lane) === 0) {
    if (lane.ahead.length === 0 && slotRoom(lane, now) > 0) return 'start';
    // During a claim, what it reserved belongs to the older deliveries that wait for it.
    if (aheadRoom(lane, lane.isClaiming ? claimedS : writtenS) > 0) return 'ahead';
  }
  return body.length <= maxWaitingBody && waitingShare > 0 && waitingRoom(lane) > 0 ? 'waits' : null;
}

export function cancelReservation(lane: Lane, kind: Reservation, body: string, now: Now): Effect[] {
  lane.reserved[kind] -= 1;
  if (kind !== 'waits') lane.extra -= extraSlots(body);
  return startAhead(lane, now);
}

/** Takes in a claimed delivery that has a reservation. */
export function admit(lane: Lane, kind: Reservation, delivery: ClaimedDelivery, now: Now): Effect[] {
  lane.reserved[kind] -= 1;
  if (kind === 'start') return [openRequest(lane, delivery)];
  if (kind === 'waits') lane.waiting.push(delivery);
  else lane.ahead.push(delivery);
  return now.isClosed ? [] : startAhead(lane, now);
}

function openRequest(lane: Lane, delivery: ClaimedDelivery): Effect {
  const startedAtMs = lane.limit.start();
  const request = { delivery, startedAtMs, reaction: 'ours', hasSlot: true, isFailure: false } as const;
  return { do: 'attempt', request };
}

/** Null: there is nothing to claim, or no room for it. */
export function startClaim(lane: Lane, share: number, now: Now): ClaimRequest | null {
  if (!canClaim(lane)) return null;
  const slots = lane.waiting.length > 0 ? 0 : Math.min(slotRoom(lane, now), share);
  const ahead = Math.min(aheadRoom(lane, claimedS), share - slots);
  if (slots + ahead <= 0) return null;
  lane.hasPending = false;
  lane.isClaiming = true;
  lane.reserved.start += slots;
  lane.reserved.ahead += ahead;
  return { slots, ahead, failures: lane.health.failures };
}

/** `result` is null when nothing is due, or the claim failed: then a sweep wakes the lane. */
export function endClaim(lane: Lane, request: ClaimRequest, result: LaneClaim | null, now: Now): Effect[] {
  const { slots, ahead, failures } = request;
  const claimed = result?.claimed ?? [];
  lane.isClaiming = false;
  lane.reserved.start -= slots;
  lane.reserved.ahead -= ahead;
  lane.extra += slotsFor(claimed) - claimed.length;
  const effects = result ? learn(lane, result, slots, ahead, now) : [];
  if (claimed.some(({ isProbe }) => !isProbe) && lane.health.failures === failures)
    lane.health.isHeld = false;
  for (const delivery of claimed) {
    if (delivery.isCounted) effects.push(openRequest(lane, delivery));
    else lane.ahead.push(delivery);
  }
  return [...effects, ...startAhead(lane, now)];
}

function learn(lane: Lane, result: LaneClaim, slots: number, ahead: number, now: Now): Effect[] {
  const { claimed, ended, hasMore, maxInFlight, inFlightLimit, waitMs } = result;
  lane.maxInFlight = maxInFlight ?? lane.maxInFlight;
  if (inFlightLimit !== null) lane.limit.restore(inFlightLimit / now.senders);
  const requested = Math.min(slots, maxHere(lane, now)) + ahead;
  const mayHaveMore = hasMore || ended.length > 0 || claimed.length >= requested || waitMs !== null;
  if (mayHaveMore && !claimed.some(({ isProbe }) => isProbe)) lane.hasPending = true;
  lane.isPaced = waitMs !== null;
  lane.isPausing = waitMs !== null;
  return waitMs === null ? [] : [{ do: 'pause', ms: waitMs }];
}

/** Gives slots that are free to what waits in memory, the oldest first. */
export function startAhead(lane: Lane, now: Now): Effect[] {
  return [...giveBackStale(lane, now), ...open(lane, lane.ahead, Number.POSITIVE_INFINITY, now)];
}

/** As many of the deliveries without a slot as a claim could have slots. */
export function startWaiting(lane: Lane, share: number, now: Now): Effect[] {
  if (!canStartWaiting(lane)) return [];
  return [...giveBackStale(lane, now), ...open(lane, lane.waiting, share, now)];
}

function open(lane: Lane, from: ClaimedDelivery[], share: number, now: Now): Effect[] {
  if (from.length === 0 || lane.health.isHeld) return [];
  return from.splice(0, Math.min(slotRoom(lane, now), share)).map((delivery) => openRequest(lane, delivery));
}

/** Past this a delivery that was claimed ahead would come near the end of its lease: it is given back. */
const aheadForMs = 3000;

/** A process that stops starts nothing more. */
function giveBackStale(lane: Lane, now: Now): Effect[] {
  const ahead = takeStale(lane.ahead, now);
  const deliveries = [...ahead, ...takeStale(lane.waiting, now)];
  if (deliveries.length === 0) return [];
  lane.extra -= slotsFor(ahead) - ahead.length;
  // Those without a slot have one now, so that the process is not idle before they are given back.
  lane.leaving += slotsFor(deliveries);
  return [{ do: 'giveBack', deliveries }];
}

function takeStale(deliveries: ClaimedDelivery[], { ms, isClosed }: Now): ClaimedDelivery[] {
  const first = deliveries.findIndex(({ claimedAtMs }) => !isClosed && ms - claimedAtMs <= aheadForMs);
  return deliveries.splice(0, first === -1 ? deliveries.length : first);
}

export function endGiveBack(lane: Lane, deliveries: ClaimedDelivery[]): void {
  lane.leaving -= slotsFor(deliveries);
  lane.hasPending = true;
}

/** The lane's slot becomes free when the receiver has accepted, the process's slot when the attempt is recorded. */
export function respond(lane: Lane, request: OpenRequest, reaction: Reaction, now: Now): Effect[] {
  const { delivery } = request;
  const { health } = lane;
  // One request alone says nothing about how many the receiver takes.
  request.reaction = delivery.isProbe && reaction !== 'accepted' ? 'ours' : reaction;
  request.isFailure = reaction !== 'accepted' && reaction !== 'ours' && delivery.endpointId !== null;
  if (request.isFailure) health.failures += 1;
  if (request.isFailure || reaction === 'accepted') health.isHeld = request.isFailure;
  return reaction === 'accepted' ? releaseSlot(lane, request, now) : [];
}

export function endAttempt(lane: Lane, request: OpenRequest, isDelivered: boolean, now: Now): Effect[] {
  const { delivery, isFailure } = request;
  const { health } = lane;
  const effects = releaseSlot(lane, request, now);
  lane.leaving -= slotsFor([delivery]);
  health.mayHaveUnclaimed ||= isFailure;
  // A failing endpoint has recovered: the deliveries that waited for it may be sent.
  if (isDelivered && (delivery.isProbe || health.mayHaveUnclaimed)) {
    health.mayHaveUnclaimed = false;
    lane.hasPending = true;
  }
  return effects;
}

function releaseSlot(lane: Lane, request: OpenRequest, now: Now): Effect[] {
  if (!request.hasSlot) return [];
  request.hasSlot = false;
  lane.extra -= extraSlots(request.delivery.body);
  lane.leaving += slotsFor([request.delivery]);
  lane.limit.end(request.startedAtMs, request.reaction, maxHere(lane, now));
  return startAhead(lane, now);
}

/** What this process will not send is for another one. */
export function handOverPending(lane: Lane, { isClosed }: Now): Effect[] {
  if (!isClosed || !lane.hasPending || lane.isClaiming) return [];
  lane.hasPending = false;
  return [{ do: 'handOver' }];
}

/** What the lane has found, for all senders together; null: nothing yet. */
export function foundLimit(lane: Lane, now: Now): number | null {
  const found = lane.limit.found();
  return found === null ? null : Math.round(Math.min(found, maxHere(lane, now)) * now.senders);
}
