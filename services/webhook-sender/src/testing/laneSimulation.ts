import type { ClaimedDelivery, LaneClaim, LaneRoom } from '@holdfast/db/webhooks/lanes';
import type { Reservation } from '../lane.ts';
import { createLanes } from '../lanes.ts';
import type { LaneOf } from '../laneTable.ts';
import type { Reaction } from '../limit.ts';

type OfLane = {
  lane: string;
  organizationId: string;
  /** Unclaimed deliveries in the database. */
  pending: number;
  /** Requests without a response. */
  open: number;
  maxInFlight: number;
};

type Request = { delivery: ClaimedDelivery; accept(): void; end(reaction?: Reaction): void };
type Claim = LaneRoom & { give(fields?: Partial<LaneClaim>, isProbe?: boolean): void; fail(): void };

export const small = '{}';
/** Too large to wait without a slot. */
export const medium = 'x'.repeat(5000);

/** Lanes over a database and receivers that respond when the test says so. */
export function simulateLanes(options: {
  size: number;
  senders?: () => number;
  bodyOf?(lane: string): string;
}) {
  const { bodyOf = () => medium } = options;
  const known = new Map<string, OfLane>();
  const claims = new Set<Claim>();
  const requests = new Set<Request>();
  const tally = { sent: 0, maxOpen: 0, givenBack: 0, handedOver: [] as string[] };

  const lanes = createLanes({
    size: options.size,
    senders: options.senders ?? (() => 1),
    claim: (request) => addClaim(claims, request, laneOf(request.lane), bodyOf),
    async giveBack(deliveries) {
      await afterCallbacks();
      tally.givenBack += deliveries.length;
      for (const { lane } of deliveries) laneOf(lane).pending += 1;
    },
    handOver: ({ lane }) => void tally.handedOver.push(lane),
    attempt: (delivery, onResponse) => {
      tally.sent += 1;
      const ended = addRequest(requests, delivery, laneOf(delivery.lane), onResponse);
      tally.maxOpen = Math.max(tally.maxOpen, requests.size);
      return ended;
    },
  });

  function laneOf(lane: string): OfLane {
    const of = known.get(lane);
    if (!of) throw new Error(`unknown lane ${lane}`);
    return of;
  }

  function add({ lane, organizationId, maxInFlight = 8 }: LaneOf): OfLane {
    const of = known.get(lane) ?? { lane, organizationId, maxInFlight, pending: 0, open: 0 };
    known.set(lane, of);
    return of;
  }

  return {
    lanes,
    add,
    tally,
    claims,
    requests,
    /** Requests without a response. */
    openIn: (lane: string) => laneOf(lane).open,
    pendingIn: (lane: string) => laneOf(lane).pending,
    all: () => [...known.values()],
    /** Writes `count` deliveries and wakes their lane. */
    write(to: LaneOf, count: number): void {
      add(to).pending += count;
      lanes.wake(to);
    },
    /** As the fan-out does: adds one delivery and, if its lane has room for it, claims it. Returns what kind of room. */
    fanOut(to: LaneOf, body = bodyOf(to.lane)): Reservation | null {
      const of = add(to);
      const offer = lanes.offer(to, body);
      if (offer) offer.send(deliveryIn(of, body, false, offer.kind === 'start'));
      else {
        of.pending += 1;
        lanes.wake(to);
      }
      return offer?.kind ?? null;
    },
    /** Resolves all claims, and what follows from them. */
    async giveAll(): Promise<void> {
      await afterCallbacks();
      while (claims.size > 0) {
        for (const claim of claims) claim.give();
        await afterCallbacks();
      }
    },
  };
}

/** Adds a claim that the test resolves. */
function addClaim(
  claims: Set<Claim>,
  request: LaneRoom,
  of: OfLane,
  bodyOf: (lane: string) => string,
): Promise<LaneClaim | null> {
  const { promise, resolve, reject } = Promise.withResolvers<LaneClaim | null>();
  const claim: Claim = {
    ...request,
    give(fields, isProbe = false) {
      claims.delete(claim);
      const isGuarded = isProbe || (fields?.waitMs ?? null) !== null;
      const room = isGuarded ? request.slots : request.slots + request.ahead;
      const count = Math.min(room, isProbe ? 1 : room, of.pending);
      of.pending -= count;
      const claimed = Array.from({ length: count }, (_, n) =>
        deliveryIn(of, bodyOf(of.lane), isProbe, n < request.slots),
      );
      const known = { hasMore: false, maxInFlight: of.maxInFlight, inFlightLimit: null, waitMs: null };
      const given = { claimed, ended: [], ...known, ...fields };
      resolve(count > 0 || fields ? given : null);
    },
    fail() {
      claims.delete(claim);
      reject(new Error('the database is unavailable'));
    },
  };
  claims.add(claim);
  return promise;
}

/** Adds a request to a receiver that responds when the test says so. */
function addRequest(
  requests: Set<Request>,
  delivery: ClaimedDelivery,
  of: OfLane,
  onResponse: (reaction: Reaction) => void,
): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  let isOpen = true;
  of.open += 1;
  const close = () => {
    if (isOpen) of.open -= 1;
    isOpen = false;
  };
  const request: Request = {
    delivery,
    accept() {
      close();
      onResponse('accepted');
    },
    end(reaction = 'accepted') {
      requests.delete(request);
      close();
      onResponse(reaction);
      resolve(reaction === 'accepted');
    },
  };
  requests.add(request);
  return promise;
}

/** Resolves after all callbacks of resolved promises have run. */
export const afterCallbacks = () => new Promise<void>((resolve) => setImmediate(resolve));

let deliveries = 0;

function deliveryIn(
  { lane, organizationId }: OfLane,
  body: string,
  isProbe: boolean,
  isCounted: boolean,
): ClaimedDelivery {
  deliveries += 1;
  return {
    id: `dlv_${deliveries}`,
    lane,
    organizationId,
    attempts: 1,
    number: 1,
    isCounted,
    leaseUntil: new Date(0),
    claimedAt: new Date(),
    claimedAtMs: performance.now(),
    endpointId: lane.startsWith('wh_') ? lane : null,
    isProbe,
    url: 'https://example.com',
    eventId: 'evt_1',
    eventType: 'execution.completed',
    eventCreatedAt: new Date(0),
    executionId: 'exec_1',
    traceparent: null,
    isThin: false,
    endpointDialect: 'holdfast',
    body,
    headers: null,
    dialect: null,
    secret: '',
    previousSecret: null,
    isPreviousPrimary: false,
  };
}
