import type { Readable } from 'node:stream';
import { ApiError } from '@holdfast/domain/errors';
import type { Execution } from '@holdfast/domain/execution';
import { fileIdsIn } from '@holdfast/domain/outputFiles';
import { ObjectNotFoundError, type ObjectStore } from '@holdfast/files/store';
import { findReadyFile, type ReadyFile } from '../files/readyFiles.ts';
import type { FaceCall } from './run.ts';

/** The files in an output, wherever they are in it. @throws ApiError if one was deleted */
export async function outputFiles(
  { context, caller }: Pick<FaceCall, 'context' | 'caller'>,
  { output }: Pick<Execution, 'output'>,
): Promise<ReadyFile[]> {
  const ids = [...new Set(fileIdsIn(output))];
  return await Promise.all(ids.map((id) => findReadyFile(context, caller, id)));
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
