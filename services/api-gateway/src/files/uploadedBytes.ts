import type { FileRow, FoundBytes } from '@holdfast/db/files';
import { limits } from '@holdfast/domain/limits';
import { contradictsType, extensionFor, extensionOf } from '@holdfast/files/contentTypes';
import {
  detectAllowedType,
  endsAsZip,
  headBytes,
  matchesDeclaredType,
  typeHead,
  zipEndBytes,
} from '@holdfast/files/detection';
import { isUnreadable, type Measures, measureObject } from '@holdfast/files/measures';
import { FileBytes } from '@holdfast/files/media/bytes';
import { ObjectNotFoundError, type ObjectStore } from '@holdfast/files/store';

export type FileProblem = {
  error: 'FILE_NOT_FOUND' | 'FILE_FORMAT_UNSUPPORTED' | 'INPUT_VALIDATION_ERROR';
  code: 'NOT_FOUND' | 'OUT_OF_RANGE' | 'UNSUPPORTED_FORMAT';
  message: string;
};

export type CheckedBytes = Omit<FoundBytes, keyof Measures>;

export const notUploaded: FileProblem = {
  error: 'FILE_NOT_FOUND',
  code: 'NOT_FOUND',
  message: 'the file has not been uploaded',
};

export async function checkBytes(store: ObjectStore, file: FileRow): Promise<CheckedBytes | FileProblem> {
  const object = await store.stat(file.key);
  if (!object) return notUploaded;
  const { sizeBytes } = object;
  const sizeProblem = describeSize(file.sizeBytes, sizeBytes);
  if (sizeProblem) return { error: 'FILE_FORMAT_UNSUPPORTED', code: 'OUT_OF_RANGE', message: sizeProblem };
  if (file.contentType !== null && contradictsType(object.contentType, file.contentType)) {
    return wrongType(`the file was uploaded with another Content-Type than the declared ${file.contentType}`);
  }
  const contentType = await typeOf(store, file, sizeBytes);
  if (contentType === null) return wrongType(describeType(file));
  return { key: file.key, filename: nameFor(file, contentType), contentType, sizeBytes };
}

function wrongType(message: string): FileProblem {
  return { error: 'FILE_FORMAT_UNSUPPORTED', code: 'UNSUPPORTED_FORMAT', message };
}

function describeSize(declaredBytes: number | null, sizeBytes: number): string | null {
  if (sizeBytes === 0) return 'the uploaded file is empty';
  if (sizeBytes > limits.maxFileBytes) return `the uploaded file exceeds ${limits.maxFileBytes} bytes`;
  return declaredBytes === null || declaredBytes === sizeBytes
    ? null
    : `the uploaded file has ${sizeBytes} bytes, not the declared ${declaredBytes}`;
}

async function typeOf(store: ObjectStore, file: FileRow, sizeBytes: number): Promise<string | null> {
  const read = (start: number, end: number) => store.readRange(file.key, { start, end });
  const start = await store.readHead(file.key, headBytes);
  const head = await typeHead(new FileBytes({ sizeBytes, head: start }, read));
  if (file.contentType === null) return detectAllowedType(head, file.filename);
  const isDeclared =
    (await matchesDeclaredType(head, file.contentType)) ||
    (file.contentType === 'application/zip' &&
      endsAsZip(await read(Math.max(0, sizeBytes - zipEndBytes), sizeBytes - 1)));
  return isDeclared ? file.contentType : null;
}

function describeType(file: FileRow): string {
  return file.contentType === null
    ? 'the uploaded bytes are not of a supported type'
    : `the uploaded bytes are not ${file.contentType}`;
}

/** The name of an undeclared upload gets its extension once the type is known. */
function nameFor({ filename }: FileRow, contentType: string): string {
  return filename.includes('.') ? filename : `${filename}.${extensionOf(contentType) ?? 'bin'}`;
}

/** Copies an upload out of reach of its URL and checks the copy again, for the bytes could change until then. */
export async function sealBytes(store: ObjectStore, file: FileRow): Promise<FoundBytes | FileProblem> {
  try {
    const offered = await checkBytes(store, file);
    if ('error' in offered) return offered;
    const key = await store.seal(file.key, extensionFor(offered.contentType, offered.filename));
    const sealed = await checkBytes(store, { ...file, key });
    const measured = 'error' in sealed ? sealed : await measure(store, sealed);
    if ('error' in measured) await store.remove(key);
    return measured;
  } catch (error) {
    if (error instanceof ObjectNotFoundError) return notUploaded;
    throw error;
  }
}

async function measure(store: ObjectStore, sealed: CheckedBytes): Promise<FoundBytes | FileProblem> {
  const measures = await measureObject(store, sealed);
  return isUnreadable(sealed.contentType, measures)
    ? wrongType(`the uploaded bytes are not a complete ${sealed.contentType}`)
    : { ...sealed, ...measures };
}
