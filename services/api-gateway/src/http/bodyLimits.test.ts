import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type BodyPace, openBodyMemory, watchPace } from './bodyLimits.ts';

it('body memory allows one holder half and all holders everything, and reuses what is released', () => {
  const memory = openBodyMemory(100);
  const [first, again, second, third] = ['a', 'a', 'b', 'c'].map((holder) => memory.open(holder));
  first?.take(30);
  expect(() => again?.take(21)).toThrow('Too many of your requests');
  again?.take(20);
  second?.take(49);
  expect(() => third?.take(2)).toThrow('Too many requests have large bodies');
  third?.take(1);
  expect(memory.heldBytes()).toBe(100);
  for (const hold of [first, first, second, third]) hold?.release();
  expect(memory.heldBytes()).toBe(20);
  expect(() => again?.take(31)).toThrow('Too many of your requests');
  again?.release();
  memory.open('a').take(50);
  expect(memory.heldBytes()).toBe(50);
});

it('body memory allows one member an eighth or one body, and leaves the rest of its holder to the others', () => {
  const memory = openBodyMemory(80);
  const [first, second, other] = ['m', 'm', 'n'].map((member) => memory.open('callbacks', member));
  first?.take(8);
  expect(() => second?.take(3)).toThrow('Too many of your requests');
  second?.take(2);
  first?.release();
  second?.take(20);
  expect(() => first?.take(1)).toThrow('Too many of your requests');
  other?.take(18);
  expect(() => other?.take(1)).toThrow('Too many of your requests');
  for (const hold of [second, other]) hold?.release();
  expect(memory.heldBytes()).toBe(0);
  memory.open('callbacks', 'm').take(40);
});

beforeEach(() => {
  jest.useFakeTimers();
});

afterEach(() => {
  jest.useRealTimers();
});

const paces = { minBytesPerS: 100, windowMs: 10_000, maxMs: 30_000 };

function watched(pace: Partial<BodyPace> = {}) {
  const socket = { bytesRead: 500 };
  const request = Object.assign(new EventEmitter(), { socket, complete: false, isPaused: () => isPaused });
  let isPaused = false;
  const onTooSlow = jest.fn();
  const stop = watchPace(request as unknown as IncomingMessage, { ...paces, ...pace }, onTooSlow);
  return {
    request,
    stop,
    messages: () => onTooSlow.mock.calls.map(([error]) => (error as Error).message),
    /** Ten seconds in which so many bytes come. */
    window(bytes: number) {
      socket.bytesRead += bytes;
      jest.advanceTimersByTime(10_000);
    },
    pause(paused: boolean) {
      isPaused = paused;
      if (paused) request.emit('pause');
    },
  };
}

const tooSlow = 'The body arrived too slowly: send at least 100 bytes per second.';

describe('the pace of a body', () => {
  it('is refused once, at the first window with too few bytes', () => {
    const { window, messages } = watched({ maxMs: null });
    window(5000);
    window(1000);
    expect(messages()).toEqual([]);
    window(999);
    window(0);
    expect(messages()).toEqual([tooSlow]);
  });

  it('is refused when the whole body takes too long, at any rate', () => {
    const { window, messages } = watched();
    for (let time = 0; time < 3; time += 1) window(1_000_000);
    expect(messages()).toEqual(['The body was not complete within 30 s.']);
  });

  it('ignores windows in which the gateway does not read', () => {
    const { window, pause, messages } = watched({ maxMs: null });
    pause(true);
    window(0);
    window(0);
    pause(false);
    window(0);
    expect(messages()).toEqual([]);
    window(0);
    expect(messages()).toEqual([tooSlow]);
  });

  it('is no longer watched when the body is complete or the watch is stopped', () => {
    const complete = watched();
    complete.request.complete = true;
    const stopped = watched();
    stopped.stop();
    for (const { window, messages } of [complete, stopped]) {
      for (let time = 0; time < 4; time += 1) window(0);
      expect(messages()).toEqual([]);
    }
  });
});
