import { isId } from './ids.ts';

/** The ids of the files in an output, wherever they are in it. */
export function fileIdsIn(value: unknown): string[] {
  if (value === null || typeof value !== 'object') return [];
  const id = 'file_id' in value ? value.file_id : null;
  return typeof id === 'string' && isId('file', id) ? [id] : Object.values(value).flatMap(fileIdsIn);
}
