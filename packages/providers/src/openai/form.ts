import type { FormPart } from '@holdfast/egress/multipart';
import type { FilePart } from '../interface.ts';

/**
 * A request as the parts of a form: texts and numbers as they are written, lists as `name[]`, one part an item, objects
 * as JSON. Where a file's id stands, its bytes are sent.
 */
export function formOf(fields: Record<string, unknown>, files: FilePart[]): FormPart[] {
  return Object.entries(fields).flatMap(([name, value]) =>
    Array.isArray(value)
      ? value.map((item: unknown, index) => part(`${name}[]`, item, fileAt(files, [name, index])))
      : partOf(name, value, fileAt(files, [name])),
  );
}

function partOf(name: string, value: unknown, file: FilePart | undefined): FormPart[] {
  return value === undefined || value === null ? [] : [part(name, value, file)];
}

function part(name: string, value: unknown, file: FilePart | undefined): FormPart {
  if (file) return { name, ...file };
  return { name, value: typeof value === 'string' ? value : JSON.stringify(value) };
}

function fileAt(files: FilePart[], path: (string | number)[]): FilePart | undefined {
  return files.find(
    (file) => file.path.length === path.length && file.path.every((step, at) => step === path[at]),
  );
}
