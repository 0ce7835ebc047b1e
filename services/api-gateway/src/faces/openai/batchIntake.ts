import { addAbortSignal } from 'node:stream';
import { findApiKeysById } from '@holdfast/db/apiKeys';
import { claimFileIntake, refuseFile, renewFileIntake } from '@holdfast/db/batches/fileIntake';
import { sealBatch } from '@holdfast/db/batches/turns';
import type { Batch, BatchFace, InputError } from '@holdfast/domain/batch';
import { ApiError, invalidField } from '@holdfast/domain/errors';
import { openInputFile } from '../../batches/inputFile.ts';
import { takeItems } from '../../batches/intake.ts';
import type { Context } from '../../context/context.ts';
import { topUpTest } from '../../executions/createExecution.ts';
import { requestReader } from './batchLines.ts';
import { openaiError } from './errors.ts';

const renewMs = 20_000;
/** A batch names no more of the lines that it cannot take. */
const maxErrors = 100;

/** Codes of lines by which OpenAI's clients and their users know them. */
const lineCodes: Readonly<Record<string, string>> = {
  invalid_format: 'invalid_json_line',
  duplicate: 'duplicate_custom_id',
};

/** Takes the files of open batches, and starts these. Whatever stops it, another gateway goes on: lines are added once. */
export async function takeBatchFiles(context: Context, stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted) {
    const batch = await claimFileIntake(context.db);
    if (batch === null) return;
    const { id } = batch;
    const renewing = setInterval(() => {
      renewFileIntake(context.db, id).catch((error: unknown) =>
        context.log.warn({ err: error, batchId: id }, 'could not renew the lease of a file intake'),
      );
    }, renewMs);
    try {
      await takeFile(context, batch, stopping);
    } catch (error) {
      context.log.warn(
        { err: error, batchId: id },
        'intake of a file ended early; the next sweep repeats it',
      );
    } finally {
      clearInterval(renewing);
    }
  }
}

async function takeFile(context: Context, batch: Batch, stopping: AbortSignal): Promise<void> {
  const { db } = context;
  if (batch.face === null) return;
  const errors = await errorsOf(context, batch, batch.face, stopping);
  if (errors.length > 0) await refuseFile(db, batch.id, errors);
  else await sealBatch(db, batch.organizationId, batch.id);
}

/** Takes all lines, or says what keeps them out. As at OpenAI, a file with a line that is no request of the batch runs none of them. */
async function errorsOf(
  context: Context,
  batch: Batch,
  { endpoint, inputFileId }: BatchFace,
  stopping: AbortSignal,
): Promise<InputError[]> {
  const errors: InputError[] = [];
  const note = (line: number | null, error: ApiError) => {
    const { code, message, param } = openaiError(error).error;
    const known = lineCodes[code ?? ''] ?? code ?? 'invalid_request';
    if (errors.length < maxErrors) errors.push({ code: known, message, line, param });
  };
  try {
    const key = (await findApiKeysById(context.db, [batch.apiKeyId])).get(batch.apiKeyId);
    if (!key) throw new ApiError('UNAUTHENTICATED', 'The API key of the batch is no longer valid.');
    const caller = { ...key, token: null, session: null };
    if (caller.isTest) await topUpTest(context, batch.organizationId, `batch ${batch.id}`);
    const source = addAbortSignal(stopping, await openInputFile(context, caller, inputFileId));
    const reader = requestReader({ context, caller }, endpoint);
    const { accepted, duplicates } = await takeItems(
      context,
      caller,
      batch,
      source,
      (line, _customId, error) => note(line, error),
      reader,
    );
    if (accepted + duplicates === 0 && errors.length === 0)
      note(null, invalidField('input_file_id', 'EMPTY_FILE', 'The file has no requests.'));
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error;
    note(null, error);
  }
  return errors.sort((one, other) => (one.line ?? 0) - (other.line ?? 0));
}
