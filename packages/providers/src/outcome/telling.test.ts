import { expect, it } from '@jest/globals';
import { tellingOfLogs } from './telling.ts';

it.each([
  ['loading\n  0%|  | 0/20\n 45%|####  | 9/20', 0.45],
  ['100%|##########| 20/20\n 10%|#  | 2/20', 0.1],
  ['300%|x', undefined],
  ['the scale is 50%', undefined],
])('the log %j tells of progress %s', (logs, progress) => {
  expect(tellingOfLogs(logs)).toEqual({ logs, ...(progress !== undefined && { progress }) });
});

it.each([null, undefined, '', 5])('no log (%j) tells nothing', (logs) => {
  expect(tellingOfLogs(logs)).toEqual({});
});
