import type { Turn } from '@holdfast/kit/sweep';
import { within } from '@holdfast/kit/within';
import type { Redis } from './connection.ts';

const answerWithinMs = 500;

/**
 * Shares the sweeps of one service out among its copies, on a connection of `connectProducer`: a turn is given once in
 * half an interval, so that ten copies do no more than twice the work of one, and a copy that dies holds nothing up. It
 * saves work and decides nothing: with Redis away everybody has a turn.
 */
export function openTurns(redis: Redis, service: string): (sweep: string, intervalMs: number) => Turn {
  async function take(sweep: string, intervalMs: number): Promise<boolean> {
    const key = `holdfast:turn:${service}:${sweep}`;
    return (await redis.set(key, '1', 'PX', Math.ceil(intervalMs / 2), 'NX')) === 'OK';
  }
  return (sweep, intervalMs) => () =>
    within(answerWithinMs, 'taking a turn', take(sweep, intervalMs)).catch(() => true);
}
