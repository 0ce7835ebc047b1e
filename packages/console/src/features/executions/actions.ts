import type { Schemas } from '../../api.ts';
import type { Role } from '../access/roles.ts';

type Action = 'runAgain' | 'cancel' | 'erase';

/** The role that each action on an execution needs. */
export const neededRole = {
  runAgain: 'admin',
  cancel: 'support',
  erase: 'admin',
} as const satisfies Record<Action, Role>;

type State = Pick<Schemas['ExecutionWithAttempts'], 'completed_at' | 'erased_at'>;

/** What can be done with an execution: one that was erased has no input to run again, and one that runs can't be erased. */
export function actionsOf({ completed_at: endedAt, erased_at: erasedAt }: State): Action[] {
  if (erasedAt !== null) return [];
  return ['runAgain', endedAt === null ? 'cancel' : 'erase'];
}
