import { ApiError } from '@holdfast/domain/errors';
import type { EndedExecution } from '@holdfast/domain/execution';
import type { OpenaiOperation } from '@holdfast/domain/modelOpenai';
import type { ReadyFile } from '../../files/readyFiles.ts';
import { outputFiles } from '../outputFiles.ts';
import type { FaceCall } from '../run.ts';
import { mapped } from './mapping.ts';

/** The files in an output, or in the part of it that the file of the model names. @throws ApiError if there is none, or one was deleted */
export async function requireOutput(
  call: Pick<FaceCall, 'context' | 'caller'>,
  execution: EndedExecution,
  operation: OpenaiOperation,
): Promise<[ReadyFile, ...ReadyFile[]]> {
  const [first, ...others] = await outputFiles(call, await mapped(call.context, execution, operation));
  if (first === undefined) throw noOutput(execution);
  return [first, ...others];
}

/** A model whose output may be anything has run, and made something else. A retry would get the same again. */
export function noOutput({ erasedAt }: EndedExecution): ApiError {
  const headers = { 'x-should-retry': 'false' };
  if (erasedAt !== null) return new ApiError('EXECUTION_ERASED', 'The output was erased.', { headers });
  const message = 'The output of the model is not what this endpoint returns.';
  return new ApiError('INPUT_VALIDATION_ERROR', message, {
    details: [{ field: 'model', code: 'model_not_supported', message }],
    headers,
  });
}
