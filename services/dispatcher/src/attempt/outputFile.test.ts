import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import { takeHead } from './outputFile.ts';

const pieces = (...texts: string[]) => Readable.from(texts.map((text) => Buffer.from(text)));

describe('takeHead', () => {
  it.each([
    ['in many pieces', ['ab', 'cd', 'ef', 'gh'], 'abc'],
    ['in one piece', ['abcdefgh'], 'abc'],
    ['shorter than the head', ['a', 'b'], 'ab'],
    ['empty', [], ''],
  ])('returns the head and the whole of a stream %s', async (_how, texts, head) => {
    const taken = await takeHead(pieces(...texts), 3);
    expect(taken.head.toString()).toBe(head);
    expect((await buffer(taken.stream)).toString()).toBe(texts.join(''));
  });

  it('reads no more than the head', async () => {
    let read = 0;
    const source = Readable.from(
      (function* () {
        for (; read < 1000; read++) yield Buffer.alloc(100);
      })(),
      { highWaterMark: 1 },
    );
    const { stream } = await takeHead(source, 300);
    expect(read).toBeLessThan(10);
    stream.destroy();
    source.destroy();
  });

  it('fails with the error of its source, at the start and later', async () => {
    const broken = (after: number) =>
      Readable.from(
        (function* () {
          for (let piece = 0; piece < after; piece++) yield Buffer.from('a');
          throw new Error('cut off');
        })(),
      );
    await expect(takeHead(broken(1), 3)).rejects.toThrow('cut off');
    const { stream } = await takeHead(broken(30), 3);
    await expect(buffer(stream)).rejects.toThrow('cut off');
  });
});
