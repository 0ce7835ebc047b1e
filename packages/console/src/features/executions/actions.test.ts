import { expect, it } from '@jest/globals';
import { actionsOf } from './actions.ts';

const at = '2026-11-26T10:00:00.000Z';

it.each([
  ['that runs', { completed_at: null, erased_at: null }, ['runAgain', 'cancel']],
  ['that has ended', { completed_at: at, erased_at: null }, ['runAgain', 'erase']],
  ['that was erased', { completed_at: at, erased_at: at }, []],
])('an execution %s offers %j', (_title, execution, actions) => {
  expect(actionsOf(execution)).toEqual(actions);
});
