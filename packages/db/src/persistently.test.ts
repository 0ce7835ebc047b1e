import { createLogger } from '@holdfast/kit/logger';
import { describe, expect, it, jest } from '@jest/globals';
import { persistently } from './persistently.ts';

const log = createLogger('test', 'silent');
const coded = (code: string) => Object.assign(new Error(code), { code });

describe('persistently', () => {
  it.each(['57P01', '40P01', '08006'])('tries again after %s', async (code) => {
    const work = jest
      .fn<() => Promise<string>>()
      .mockRejectedValueOnce(coded(code))
      .mockResolvedValue('done');
    expect(await persistently(log, 1000, work)).toBe('done');
    expect(work).toHaveBeenCalledTimes(2);
  });

  it('gives up at once on what the database refuses, for that does not pass', async () => {
    const work = jest.fn<() => Promise<string>>().mockRejectedValue(coded('22P05'));
    await expect(persistently(log, 1000, work)).rejects.toThrow('22P05');
    expect(work).toHaveBeenCalledTimes(1);
  });

  it('gives up when its time is over', async () => {
    const work = jest.fn<() => Promise<string>>().mockRejectedValue(coded('57P03'));
    await expect(persistently(log, 250, work)).rejects.toThrow('57P03');
    expect(work).toHaveBeenCalledTimes(2);
  });
});
