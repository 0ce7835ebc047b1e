import { AsyncLocalStorage } from 'node:async_hooks';

/** Bounds the memory of a process for data that cannot be streamed, such as JSON responses and inputs. */
export type MemoryBudget = {
  during<Result>(work: () => Promise<Result>): Promise<Result>;
};

/** Reserves bytes for the current work: at once (null), or when the promise resolves. */
export type ReserveMemory = (bytes: number) => Promise<void> | null;

type Reservation = { reservedBytes: number; waiting: { bytes: number; resume(): void }[]; hasEnded: boolean };

const current = new AsyncLocalStorage<ReserveMemory>();

/** The work that has reserved memory for the longest may exceed the limit, so that one always finishes. */
export function createMemoryBudget(limitBytes: number): MemoryBudget {
  // In the order of their first reservation.
  const reservations = new Set<Reservation>();
  let reservedBytes = 0;

  const fits = (reservation: Reservation, bytes: number) => {
    const [first] = reservations;
    return reservation === first || reservedBytes + bytes <= limitBytes;
  };

  function add(reservation: Reservation, bytes: number): void {
    reservation.reservedBytes += bytes;
    reservedBytes += bytes;
  }

  function admitWaiting(reservation: Reservation): void {
    for (
      let next = reservation.waiting[0];
      next && fits(reservation, next.bytes);
      next = reservation.waiting[0]
    ) {
      reservation.waiting.shift();
      add(reservation, next.bytes);
      next.resume();
    }
  }

  function reserverOf(reservation: Reservation): ReserveMemory {
    return (bytes) => {
      if (reservation.hasEnded) return null;
      reservations.add(reservation);
      if (reservation.waiting.length > 0 || !fits(reservation, bytes)) {
        return new Promise((resume) => reservation.waiting.push({ bytes, resume }));
      }
      add(reservation, bytes);
      return null;
    };
  }

  function release(reservation: Reservation): void {
    reservation.hasEnded = true;
    reservations.delete(reservation);
    reservedBytes -= reservation.reservedBytes;
    for (const { resume } of reservation.waiting) resume();
    for (const other of reservations) admitWaiting(other);
  }

  return {
    async during(work) {
      const reservation: Reservation = { reservedBytes: 0, waiting: [], hasEnded: false };
      try {
        return await current.run(reserverOf(reservation), work);
      } finally {
        release(reservation);
      }
    },
  };
}

/** Also for code that runs elsewhere on behalf of the work, such as a socket; null outside. */
export function currentReservation(): ReserveMemory | null {
  return current.getStore() ?? null;
}
