import type { ClaimedDelivery } from '@holdfast/db/webhooks/lanes';
import type { Limit } from './limit.ts';

/** The deliveries of one endpoint, or of a group of an organization's `webhook_url`s, in this process. */
export type Lane = {
  key: string;
  organizationId: string;
  maxInFlight: number;
  limit: Limit;
  /** Slots promised to a claim or a fan-out, whose deliveries start at once. */
  starting: number;
  /** Claimed deliveries that wait for a slot, and places promised for more. */
  ahead: ClaimedDelivery[];
  aheadPromised: number;
  /** Leased deliveries without a place, and how many more may come: the backlog's first part, which needs no claim. */
  waiting: ClaimedDelivery[];
  waitingPromised: number;
  /** Places that large bodies take beyond one for each delivery. */
  extra: number;
  hasPending: boolean;
  isClaiming: boolean;
  health: Health;
  isPaced: boolean;
  /** Set while a paced lane (`max_per_second`) claims nothing. */
  pause: NodeJS.Timeout | null;
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

export const newHealth = (): Health => ({ isHeld: false, failures: 0, mayHaveUnclaimed: false });

type Known = Pick<Lane, 'key' | 'organizationId' | 'maxInFlight' | 'limit' | 'health'>;

export function newLane(of: Known): Lane {
  const none = { starting: 0, ahead: [], aheadPromised: 0, waiting: [], waitingPromised: 0, pause: null };
  return { ...of, ...none, extra: 0, hasPending: false, isClaiming: false, isPaced: false };
}

/** Places of the process that the lane has, as far as their requests have no response. */
export const placesOf = (lane: Lane): number =>
  lane.limit.open() + lane.starting + lane.ahead.length + lane.aheadPromised + lane.extra;

/** A place is for so much of a body, so that places bound the memory of requests. */
export const placeBytes = 16_384;

export const extraPlaces = (body: string): number => Math.max(0, Math.ceil(body.length / placeBytes) - 1);

export const extraOf = (deliveries: ClaimedDelivery[]): number =>
  deliveries.reduce((sum, { body }) => sum + extraPlaces(body), 0);

export function slotRoom(lane: Lane, max: number): number {
  return Math.max(0, Math.min(max, lane.limit.value()) - lane.limit.open() - lane.starting);
}

/** Enough for a claim's round trip, and far less than a lease. */
const claimedS = 0.25;
/** For deliveries that come with their claim: to give them back and claim them again would cost two writes. */
const writtenS = 1;
const maxAhead = 512;

/** How many deliveries may wait, by the rate of responses: none for a receiver that gives none. */
function aheadTarget(lane: Lane, seconds: number): number {
  if (lane.health.isHeld || lane.isPaced) return 0;
  return Math.min(maxAhead, Math.ceil(lane.limit.perS() * seconds));
}

/** For deliveries to be claimed ahead. */
export const aheadRoom = (lane: Lane): number => roomFor(lane, claimedS);

/** For a delivery that is being written. */
export const writtenRoom = (lane: Lane): number => roomFor(lane, writtenS);

function roomFor(lane: Lane, seconds: number): number {
  return Math.max(0, aheadTarget(lane, seconds) - lane.ahead.length - lane.aheadPromised - waitingIn(lane));
}

export const waitingIn = (lane: Lane): number => lane.waiting.length + lane.waitingPromised;

/** Less than `aheadForMs`: what is not sent by then is given back, and was written once too often. */
const waitingS = 2;
/** When a burst comes, the rate is not known yet. */
const firstBurst = 400;

/** For deliveries that are written with a lease and find no place. */
export function waitingRoom(lane: Lane): number {
  if (lane.health.isHeld || lane.isPaced || lane.limit.isSilent()) return 0;
  return Math.max(0, Math.max(firstBurst, Math.ceil(lane.limit.perS() * waitingS)) - waitingIn(lane));
}

/** As many may be claimed as are left, `maxClaims` at most: one claim for many deliveries. */
export function isRunningOut(lane: Lane, maxClaims: number): boolean {
  const room = Math.min(aheadRoom(lane), maxClaims);
  return room > 0 && room >= lane.ahead.length + lane.aheadPromised;
}

/** Past this a delivery that was claimed ahead would come near the end of its lease: it is given back. */
const aheadForMs = 3000;

/** Takes out the deliveries, oldest first, that may not start any more. */
export function takeStale(deliveries: ClaimedDelivery[], nowMs: number): ClaimedDelivery[] {
  const stale: ClaimedDelivery[] = [];
  for (let [first] = deliveries; first && nowMs - first.claimedAtMs > aheadForMs; [first] = deliveries) {
    stale.push(first);
    deliveries.shift();
  }
  return stale;
}
