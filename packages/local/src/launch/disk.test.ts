import { expect, it, jest } from '@jest/globals';
import { requireSpace, watchSpace } from './disk.ts';

const megabytes = (free: number) => [{ folder: '/data', freeBytes: free * 1024 * 1024 }];

it('a start without space is refused with the disk and what is left of it', () => {
  expect(() => requireSpace(['/data'], () => megabytes(12))).toThrow(
    /^Not enough space: the disk of \/data has 12 MB left, and Holdfast needs 200 MB: /,
  );
  expect(() => requireSpace(['/data', '/missing'], () => megabytes(200))).not.toThrow();
});

it('a disk that fills while Holdfast runs is named once, and once more when it has room again', () => {
  jest.useFakeTimers();
  const said: string[] = [];
  let free = 500;
  const end = watchSpace(
    ['/data'],
    (line) => said.push(line),
    () => megabytes(free),
  );
  for (free of [500, 199, 12, 800, 900]) jest.advanceTimersByTime(5000);
  end();
  jest.useRealTimers();
  expect(said).toEqual([
    expect.stringMatching(/^Nearly full: the disk of \/data has 199 MB left\. /),
    'the disk of /data has 800 MB left: it has room again.',
  ]);
});
