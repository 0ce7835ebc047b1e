import { AbortedError, ExecutionError, HoldfastError } from './errors.ts';
import type { Executions } from './executions.ts';
import type { Files } from './files.ts';
import type { Http } from './http.ts';
import { readIdempotencyKey } from './idempotencyKey.ts';
import { copyOf, uploadInput } from './inputFiles.ts';
import { withFiles } from './outputFile.ts';
import type { CreateExecution, Execution, InputOf, KnownExecution, ModelSlug, OutputOf } from './types.ts';
import { cancel, cancelMs, type WaitOptions, waitForEnd } from './waiting.ts';

export type RunOptions = WaitOptions & {
  /** Two runs with the same key are one execution. Default: a random key. See `deriveKey`. */
  idempotencyKey?: string | Promise<string> | null | undefined;
  /** Receives the final event of the execution. */
  webhookUrl?: string | undefined;
  /** Your own data, returned in the record. */
  metadata?: Record<string, unknown> | undefined;
  /** Which of your pending executions start first. */
  priority?: 'high' | 'normal' | 'low' | undefined;
  /** Seconds until the service ends the execution; `timeout` only ends the wait. */
  timeoutSeconds?: number | undefined;
};

/** A completed run. */
export type Run<Output> = { output: Output; execution: Execution };

export type Runner = { http: Http; executions: Executions; files: Files };

/** See `Holdfast.run`. */
export async function run<Slug extends ModelSlug>(
  runner: Runner,
  model: Slug,
  input: InputOf<Slug>,
  options: RunOptions,
): Promise<Run<OutputOf<Slug>>> {
  const startedAt = performance.now();
  const { created, identified } = await startRun(runner, model, input, options);
  try {
    const start = { startedAt, isWhole: false };
    return await resultOf(runner, await waitForEnd(runner.http, created, options, start));
  } catch (error) {
    throw identified(error);
  }
}

export type Started = {
  created: KnownExecution;
  /** Gives an error what is needed to repeat the run: its key and the ids of its files. */
  identified: (error: unknown) => unknown;
};

/** Uploads the files of the input and creates the execution. */
export async function startRun(
  { http, executions, files }: Runner,
  model: string,
  input: Record<string, unknown>,
  options: RunOptions & { stream?: boolean },
): Promise<Started> {
  const { signal, onProgress } = options;
  // Now: the caller may change the objects while files are uploaded.
  const given = copyOf(input);
  const fields = createFields(options);
  const idempotencyKey = await readIdempotencyKey(options.idempotencyKey);
  let uploaded = given;
  const identified = (error: unknown) => {
    if (error instanceof HoldfastError) Object.assign(error, { idempotencyKey, input: uploaded });
    return error;
  };
  try {
    uploaded = await uploadInput(files, given, { signal, onProgress });
    const body = { model, input: uploaded, ...fields };
    const created = await createUnlessAborted({ http, executions }, body, idempotencyKey, options);
    return { created, identified };
  } catch (error) {
    throw identified(error);
  }
}

/** The output of an execution that has ended, and its record. @throws ExecutionError if it was not completed */
export async function resultOf<Output>(
  { executions, files }: Pick<Runner, 'executions' | 'files'>,
  execution: Execution,
): Promise<Run<Output>> {
  if (execution.status !== 'COMPLETED' && (execution.error || isKnownFailure(execution))) {
    throw new ExecutionError(execution);
  }
  const output = await outputOf(executions, execution).catch((error: unknown) => {
    if (error instanceof HoldfastError) error.execution = execution;
    throw error;
  });
  return { output: withFiles(files, output) as Output, execution };
}

const isKnownFailure = ({ status }: Execution) => ['FAILED', 'CANCELLED', 'EXPIRED'].includes(status);

function createFields({
  webhookUrl,
  metadata,
  priority,
  timeoutSeconds,
  stream,
}: RunOptions & { stream?: boolean }): Omit<CreateExecution, 'model' | 'input'> {
  return {
    ...(webhookUrl !== undefined && { webhook_url: webhookUrl }),
    ...(metadata !== undefined && { metadata: copyOf(metadata) }),
    ...(priority !== undefined && { priority }),
    ...(timeoutSeconds !== undefined && { timeout_seconds: timeoutSeconds }),
    ...(stream && { stream }),
  };
}

/**
 * An abort during the create leaves open whether there is an execution. Only the create itself can tell, so it gets
 * `cancelMs` more, together with the cancel, when the execution shall be cancelled.
 */
async function createUnlessAborted(
  { http, executions }: Omit<Runner, 'files'>,
  body: CreateExecution,
  idempotencyKey: string,
  { signal, cancelOnAbort }: RunOptions,
): Promise<KnownExecution> {
  if (signal?.aborted) throw new AbortedError(signal.reason);
  if (!signal || !cancelOnAbort) return await executions.create(body, { idempotencyKey, signal });
  const late = new AbortController();
  const onLate = () => late.abort(signal.reason);
  const onAbort = () => AbortSignal.timeout(cancelMs).addEventListener('abort', onLate, { once: true });
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    const created = await executions.create(body, { idempotencyKey, signal: late.signal });
    if (!signal.aborted) return created;
    await cancel(http, created.id, late.signal);
    throw Object.assign(new AbortedError(signal.reason), { execution: created });
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** Records of older services have no `result`. */
async function outputOf(executions: Executions, execution: Execution): Promise<Record<string, unknown>> {
  if (execution.result || execution.status !== 'COMPLETED' || execution.erased_at)
    return execution.result ?? {};
  const { output } = await executions.result(execution.id);
  return output;
}
