import { expect, it } from '@jest/globals';
import { patiently } from './patiently.ts';

const locked = () => Object.assign(new Error('canceling statement due to lock timeout'), { code: '55P03' });

it('what does not get its locks is done again', async () => {
  let times = 0;
  const work = async () => {
    times += 1;
    if (times < 2) throw locked();
    return times;
  };
  expect(await patiently(work)).toBe(2);
});

it('it is given up after a time, and said why; what fails otherwise is not done again', async () => {
  const failing = (error: Error) => async () => {
    throw error;
  };
  const fail = (error: Error) => patiently(failing(error), -1);
  await expect(fail(locked())).rejects.toThrow(/lock timeout: for .* the tables were in use/);
  await expect(fail(new Error('no such table'))).rejects.toThrow(/^no such table$/);
});
