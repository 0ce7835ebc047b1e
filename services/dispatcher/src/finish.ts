import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import type { Outcome, RecordedOutcome, Success } from '@holdfast/domain/outcome';
import { actualCost } from '@holdfast/domain/pricing';
import { trustedHost } from '@holdfast/providers/connection';
import { copyOutputFiles, type StoredFile } from '@holdfast/providers/outputFiles';
import type { Context } from './context.ts';
import { storeOutput } from './storeOutput.ts';
import type { Run } from './submission.ts';

const copyTries = 3;

/** Copies the output's files into our store, prices the run and records its outcome for the ledger. */
export async function finish(
  context: Context,
  definition: ModelDefinition,
  run: Run,
  outcome: Outcome,
  state: 'succeeded' | 'failed' | 'unknown',
  signal: AbortSignal,
): Promise<void> {
  if (!outcome.ok) {
    const { code, message } = outcome;
    return await context.outcomes.record(run.attemptId, { ok: false, code, message }, state);
  }
  const copied = await copyWithRetries(context, definition, run, outcome, signal);
  if (signal.aborted) return;
  const recorded = copied ? priced(definition, copied) : notStored;
  await context.outcomes.record(run.attemptId, recorded, recorded.ok ? 'succeeded' : 'failed');
}

const notStored: RecordedOutcome = {
  ok: false,
  code: 'GENERATION_FAILED',
  message: 'The output could not be stored.',
};

function priced(definition: ModelDefinition, success: Success): RecordedOutcome {
  const { output, usage } = success;
  return { ok: true, output, ...usage, cost: actualCost(definition, success) };
}

/** Null when the files can't be had. */
async function copyWithRetries(
  context: Context,
  definition: ModelDefinition,
  run: Run,
  success: Success,
  signal: AbortSignal,
): Promise<Success | null> {
  const trusted = trustedHosts(context, definition);
  const stored = new Map<string, StoredFile>();
  /** What was copied at an earlier try is not copied again. */
  async function copy(url: string): Promise<StoredFile> {
    const file = stored.get(url) ?? (await storeOutput(context, run, { url, trustedHosts: trusted }, signal));
    stored.set(url, file);
    return file;
  }
  for (let tries = 1; tries <= copyTries && !signal.aborted; tries++) {
    try {
      return await copyOutputFiles(success, definition.output.kind, copy);
    } catch (error) {
      context.log.warn(
        { err: error, executionId: run.id, attemptId: run.attemptId, tries },
        'an output file was not copied',
      );
    }
  }
  return null;
}

/**
 * The provider's own host, wherever it is. Not for `raw` output: a model that gives back what it was sent would let
 * a client choose the URL.
 */
function trustedHosts({ connections }: Context, { provider, output }: ModelDefinition): string[] {
  const connection = connections[provider.connection];
  return connection && output.kind !== 'raw' ? [trustedHost(connection)] : [];
}
