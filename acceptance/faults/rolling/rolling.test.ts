import { testFolder } from '@holdfast/testkit/testFolder';
import { expect, it } from '@jest/globals';
import { roll } from './roll.ts';

it('every service restarts under load without a failed request', async () => {
  const rolled = await roll({
    home: testFolder('rolling'),
    perSecond: 5,
    pauseMs: 500,
    rounds: 1,
    say: () => undefined,
  });
  expect(rolled.problems).toEqual([]);
  expect(rolled.restarts).toHaveLength(8);
  expect(rolled.executions).toBeGreaterThan(30);
}, 240_000);
