import type { Readable } from 'node:stream';
import { ApiError } from '@holdfast/domain/errors';
import type { Execution } from '@holdfast/domain/execution';
import { isId } from '@holdfast/domain/ids';
import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import type { OutputKind } from '@holdfast/domain/modelResponse';
import { ObjectNotFoundError, type ObjectStore } from '@holdfast/files/store';
import { findReadyFile, type ReadyFile } from '../../files/readyFiles.ts';
import type { FaceCall } from './run.ts';

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
export async function outputFiles(
  { context, caller }: FaceCall,
  execution: Execution,
): Promise<[ReadyFile, ...ReadyFile[]]> {
  const ids = [...new Set(fileIdsIn(execution.output))];
  const [first, ...others] = await Promise.all(ids.map((id) => findReadyFile(context, caller, id)));
  if (first === undefined) throw noOutput(execution);
  return [first, ...others];
}

function fileIdsIn(value: unknown): string[] {
  if (value === null || typeof value !== 'object') return [];
  const id = 'file_id' in value ? value.file_id : null;
  return typeof id === 'string' && isId('file', id) ? [id] : Object.values(value).flatMap(fileIdsIn);
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

/** @throws ApiError NOT_FOUND */
export async function openFile(store: ObjectStore, { key }: ReadyFile): Promise<Readable> {
  try {
    return await store.read(key);
  } catch (error) {
    if (error instanceof ObjectNotFoundError) throw new ApiError('NOT_FOUND', 'The output was deleted.');
    throw error;
  }
}

/** Three bytes are four characters, so that pieces of a multiple can be joined. */
export async function* base64(bytes: Readable): AsyncGenerator<string> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of bytes) {
    const all = rest.length === 0 ? (chunk as Buffer) : Buffer.concat([rest, chunk as Buffer]);
    const whole = all.length - (all.length % 3);
    if (whole > 0) yield all.toString('base64', 0, whole);
    rest = all.subarray(whole);
  }
  if (rest.length > 0) yield rest.toString('base64');
}
