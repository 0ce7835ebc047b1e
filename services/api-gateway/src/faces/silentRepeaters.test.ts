import type { IncomingMessage } from 'node:http';
import { expect, it } from '@jest/globals';
import { isTimeToRepeat } from './silentRepeaters.ts';

const js = '@fal-ai/client/1.10.1';
const python = 'fal-client/1.0.3 (python)';

it.each([
  ['replicate-javascript/1.4.0', 5, [-1, 0, 1.9], [2.1]],
  [js, 1, [0.4, 1.25, 2.5], [-1, 0.1, 4.6]],
  [js, 2, [0.8, 2.5, 5], [0.4, 7.1]],
  [js, 3, [1.6, 5], [1.2, 7.1]],
  [python, 1, [0.05, 0.15], [2.4]],
  [python, 9, [5, 30], [4, 33]],
  ['curl/8.5.0', 1, [], [-1, 0, 1]],
])('%s repeats its request after try %d within its pause', (agent, tries, within, outside) => {
  const request = { headers: { 'user-agent': agent } } as IncomingMessage;
  const repeats = (closedS: number) => isTimeToRepeat(request, { deliveredS: closedS, closedS, tries });
  expect([within.map(repeats), outside.map(repeats)]).toEqual([
    within.map(() => true),
    outside.map(() => false),
  ]);
});
