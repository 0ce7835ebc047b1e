import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { ApiError, invalidField } from '@holdfast/domain/errors';
import { findJsonProblem } from './json.ts';

/** A part of a form with a file; `stream` must be read or destroyed. */
export type FormFile = { field: string; filename: string; stream: Readable };

/** `name[]` and repeated names are lists, without the brackets. */
export type FormFields = Record<string, string | string[]>;

const maxFiles = 32;
const maxFields = 256;
const maxFieldBytes = 1_048_576;

export function isForm(headers: IncomingHttpHeaders): boolean {
  return /^\s*multipart\/form-data\b/i.test(headers['content-type'] ?? '');
}

/**
 * Reads a form. Hands its files over as they arrive, and waits until all are taken. @throws ApiError INPUT_VALIDATION_ERROR,
 * PAYLOAD_TOO_LARGE, those of the body's stream, and what `take` rejects with
 */
export async function readForm(
  body: Readable,
  headers: IncomingHttpHeaders,
  take: (file: FormFile) => Promise<void>,
): Promise<FormFields> {
  const parser = parserOf(headers);
  const { promise: parsed, resolve, reject } = Promise.withResolvers<void>();
  const pairs: [name: string, value: string][] = [];
  const streams: Readable[] = [];
  const taken: Promise<void>[] = [];
  let fieldBytes = 0;

  function fail(error: unknown): void {
    reject(error);
    body.unpipe(parser).destroy();
    for (const stream of streams) stream.destroy(notWhole());
  }

  parser
    .on('field', (name, value, _isNameCut, isCut) => {
      fieldBytes += Buffer.byteLength(value);
      if (isCut || fieldBytes > maxFieldBytes) return fail(tooLarge(`${maxFieldBytes} bytes of text`));
      pairs.push([name, value]);
    })
    .on('file', (field, stream, filename) => {
      streams.push(stream.on('error', () => fail(notWhole())));
      const done = take({ field, filename: filename ?? 'file', stream });
      done.catch(fail);
      taken.push(done);
    })
    .on('filesLimit', () => fail(tooLarge(`${maxFiles} files`)))
    .on('fieldsLimit', () => fail(tooLarge(`${maxFields} fields`)))
    .on('error', () => fail(notWhole()))
    .on('finish', resolve);
  body.once('error', fail).pipe(parser);
  try {
    await parsed;
  } finally {
    await Promise.allSettled(taken);
  }
  await Promise.all(taken);
  return fieldsOf(pairs);
}

function parserOf(headers: IncomingHttpHeaders): BusboyInstance {
  try {
    return new Busboy({
      headers: { 'content-type': headers['content-type'] ?? '' },
      limits: { files: maxFiles, fields: maxFields, fieldSize: maxFieldBytes, headerPairs: 32 },
    });
  } catch {
    throw notWhole();
  }
}

function fieldsOf(pairs: readonly [string, string][]): FormFields {
  const fields = new Map<string, string | string[]>();
  for (const [name, value] of pairs) {
    const isList = name.endsWith('[]');
    const bare = isList ? name.slice(0, -2) : name;
    const before = fields.get(bare);
    fields.set(bare, before === undefined && !isList ? value : [before ?? [], value].flat());
  }
  const found = Object.fromEntries(fields);
  const problem = findJsonProblem(found, '', 1);
  if (problem) throw invalidField(problem.field, problem.code, problem.message);
  return found;
}

function notWhole(): ApiError {
  return invalidField('body', 'INVALID_FORMAT', 'The body is not a whole form (multipart/form-data).');
}

function tooLarge(what: string): ApiError {
  return new ApiError('PAYLOAD_TOO_LARGE', `The form has more than ${what}.`);
}
