import fc from 'fast-check';
import { type Command, type Step, stepsOf } from './command.ts';
import { accept } from './commands/accept.ts';
import { adjust } from './commands/adjust.ts';
import { cancel } from './commands/cancel.ts';
import { create, createAgain } from './commands/create.ts';
import { erase } from './commands/erase.ts';
import { expire, timePasses } from './commands/expire.ts';
import { limit } from './commands/limit.ts';
import { policy } from './commands/policy.ts';
import { record } from './commands/record.ts';
import { settle, settleSweep } from './commands/settle.ts';
import { start } from './commands/start.ts';
import { stop } from './commands/stop.ts';

/** Any step, common ones more often. */
export const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: stepsOf('create', create) },
  { weight: 2, arbitrary: stepsOf('create again', createAgain) },
  { weight: 6, arbitrary: stepsOf('start', start) },
  { weight: 2, arbitrary: stepsOf('accept', accept) },
  { weight: 5, arbitrary: stepsOf('record', record) },
  { weight: 5, arbitrary: stepsOf('settle', settle) },
  { weight: 2, arbitrary: stepsOf('settle sweep', settleSweep) },
  { weight: 2, arbitrary: stepsOf('cancel', cancel) },
  { weight: 2, arbitrary: stepsOf('time passes', timePasses) },
  { weight: 2, arbitrary: stepsOf('expire', expire) },
  { weight: 1, arbitrary: stepsOf('stop', stop) },
  { weight: 1, arbitrary: stepsOf('erase', erase) },
  { weight: 3, arbitrary: stepsOf('adjust', adjust) },
  { weight: 1, arbitrary: stepsOf('limit', limit) },
  { weight: 2, arbitrary: stepsOf('policy', policy) },
);

/** They end every execution. */
export const lastSteps: Step[] = [
  fixed(settleSweep, { by: 0 }),
  fixed(timePasses, { pick: 'all' }),
  fixed(expire, { by: 1 }),
];

function fixed<Args>(command: Command<Args>, args: Args): Step {
  return { expect: (model) => command.expect(model, args), perform: (run) => command.perform(run, args) };
}
