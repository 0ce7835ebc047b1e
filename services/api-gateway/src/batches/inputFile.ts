import type { IncomingHttpHeaders } from 'node:http';
import { finished, Readable } from 'node:stream';
import { ApiError, invalidField } from '@holdfast/domain/errors';
import { isObject } from '@holdfast/domain/inputFiles';
import { ObjectNotFoundError } from '@holdfast/files/store';
import { z } from 'zod';
import type { Caller } from '../access/identity.ts';
import type { Context } from '../context/context.ts';
import { requireFiles } from '../files/readyFiles.ts';
import { idField } from '../http/fields.ts';
import { validate } from '../http/validate.ts';

/** In place of items: the uploaded file that has them. */
export const inputFileBody = z
  .strictObject({ input_file_id: idField('file', 'An uploaded NDJSON file') })
  .meta({ id: 'BatchItemsFile' });

/** The file that a JSON body names; null: the body has the items themselves. @throws ApiError */
export function inputFileOf(headers: IncomingHttpHeaders, body: Buffer | Readable): string | null {
  const isJson = /^application\/json\b/i.test(headers['content-type'] ?? '');
  if (!isJson || body instanceof Readable) return null;
  const value = jsonOf(body);
  return isObject(value) && 'input_file_id' in value ? validate(inputFileBody, value).input_file_id : null;
}

function jsonOf(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    // Several lines: each is checked, as in any other body of items.
    return null;
  }
}

const itemTypes = ['application/x-ndjson', 'application/json', 'text/plain'];

/** Reads a file of items from the store, as fast as the items are taken. @throws ApiError */
export async function openInputFile(
  context: Context,
  { organizationId }: Pick<Caller, 'organizationId'>,
  id: string,
): Promise<Readable> {
  const field = 'input_file_id';
  const file = (await requireFiles(context, organizationId, [{ field, id }])).get(id);
  if (!file) throw new ApiError('FILE_NOT_FOUND', 'The file does not exist.');
  if (!itemTypes.includes(file.contentType))
    throw invalidField(field, 'UNSUPPORTED_FORMAT', `${id} is not NDJSON: it is ${file.contentType}.`);
  try {
    const bytes = await context.store.read(file.key);
    // It may fail before it is read.
    finished(bytes, () => {});
    return bytes;
  } catch (error) {
    if (error instanceof ObjectNotFoundError)
      throw new ApiError('FILE_NOT_FOUND', `${id}: the file was deleted.`);
    throw error;
  }
}
