import { ApiError } from '@holdfast/domain/errors';
import type { Execution } from '@holdfast/domain/execution';
import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import type { OutputKind } from '@holdfast/domain/modelResponse';
import type { ReadyFile } from '../../files/readyFiles.ts';
import { outputFiles } from '../outputFiles.ts';
import type { FaceCall } from '../run.ts';

/** Before a run that would be of no use. `what`: such as `images`. @throws ApiError for a model that makes something else */
export function requireKind(
  { slug, output: { kind } }: ModelDefinition,
  kinds: readonly OutputKind[],
  what: string,
): void {
  if (kinds.includes(kind)) return;
  const message = `The model \`${slug}\` does not make ${what}.`;
  throw new ApiError('INPUT_VALIDATION_ERROR', message, {
    details: [{ field: 'model', code: 'model_not_supported', message }],
  });
}

/** The files in an output, wherever they are in it. @throws ApiError if there is none, or one was deleted */
export async function requireOutput(
  call: FaceCall,
  execution: Execution,
): Promise<[ReadyFile, ...ReadyFile[]]> {
  const [first, ...others] = await outputFiles(call, execution);
  if (first === undefined) throw noOutput(execution);
  return [first, ...others];
}

/** A model whose output may be anything has run, and made something else. A retry would get the same again. */
export function noOutput({ erasedAt }: Execution): ApiError {
  const headers = { 'x-should-retry': 'false' };
  if (erasedAt !== null) return new ApiError('EXECUTION_ERASED', 'The output was erased.', { headers });
  const message = 'The output of the model is not what this endpoint returns.';
  return new ApiError('INPUT_VALIDATION_ERROR', message, {
    details: [{ field: 'model', code: 'model_not_supported', message }],
    headers,
  });
}
