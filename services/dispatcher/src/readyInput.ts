import type { PreparedInput } from '@holdfast/providers/input';
import type { Progress } from '@holdfast/providers/interface';
import type { Context } from './context.ts';
import type { Opening } from './converse.ts';
import { prepareInput, UnusableInputFile } from './inputFiles.ts';
import type { Route } from './route.ts';
import type { Run } from './submission.ts';

/** A store that is away comes back. */
const storePauseMs = 2000;

/**
 * The input as this provider takes it, or what came of the run because it can't be sent. A run that is taken over is asked
 * about even without its files: it may have been accepted while they were there.
 */
export async function readyInput(
  context: Pick<Context, 'db' | 'store' | 'log'>,
  { definition, route }: Pick<Route, 'definition' | 'route'>,
  run: Pick<Run, 'id' | 'attemptId' | 'organizationId' | 'input'>,
  opening: Opening,
): Promise<PreparedInput | Extract<Progress, { state: 'ended' | 'refused' }>> {
  try {
    return await prepareInput(context, definition, route, run);
  } catch (error) {
    const isUnusable = error instanceof UnusableInputFile;
    if (opening === 'recover' && isUnusable) return { input: run.input, parts: [] };
    if (opening === 'recover') throw error;
    context.log.warn(
      { err: error, executionId: run.id, attemptId: run.attemptId },
      'an input could not be prepared',
    );
    return isUnusable ? outcomes[error.why] : storeAway;
  }
}

const storeAway = {
  state: 'refused',
  retryAfterMs: storePauseMs,
  outcome: { ok: false, code: 'SERVICE_UNAVAILABLE', message: 'A file of the input could not be read.' },
} as const;

const outcomes = {
  gone: {
    state: 'ended',
    outcome: { ok: false, code: 'FILE_NOT_FOUND', message: 'A file of the input is gone.' },
  },
  // Another of the model's providers may take it.
  too_large: {
    state: 'refused',
    retryAfterMs: null,
    outcome: { ok: false, code: 'INPUT_VALIDATION_ERROR', message: 'A file of the input is too large.' },
  },
} as const;
