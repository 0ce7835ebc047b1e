import { describe, expect, it } from '@jest/globals';
import { createSlots } from './slots.ts';

describe('slots', () => {
  it('are never more than there are, and go to those who came first', async () => {
    const slots = createSlots(2);
    const order: number[] = [];
    const takers = [1, 2, 3, 4].map((name) => slots.take().then(() => order.push(name)));
    await Promise.all(takers.slice(0, 2));
    expect(order).toEqual([1, 2]);
    slots.give();
    await takers[2];
    expect(order).toEqual([1, 2, 3]);
    slots.give();
    await takers[3];
    expect(order).toEqual([1, 2, 3, 4]);
  });

  it('let nobody in once they are closed', async () => {
    const slots = createSlots(1);
    expect(await slots.take()).toBe(true);
    const waiting = slots.take();
    slots.close();
    expect(await waiting).toBe(false);
    slots.give();
    await slots.idle();
    expect(await slots.take()).toBe(false);
  });

  it('are idle when the last is given back', async () => {
    const slots = createSlots(2);
    await slots.idle();
    await Promise.all([slots.take(), slots.take()]);
    let isIdle = false;
    const idle = slots.idle().then(() => (isIdle = true));
    slots.give();
    await Promise.resolve();
    expect(isIdle).toBe(false);
    slots.give();
    await idle;
    expect(isIdle).toBe(true);
  });
});
