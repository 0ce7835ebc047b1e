import type { ErrorDetail } from '@holdfast/domain/errors';
import { limits } from '@holdfast/domain/limits';

/** A name that a client made up is not sent back at any length. */
const maxNameLength = 100;

/** What no field may hold, for the database could not keep it: the first problem, or null. */
export function checkJson(value: unknown, field: string, depth: number): ErrorDetail | null {
  if (typeof value === 'string') return checkText(value, field);
  if (typeof value === 'number' && !Number.isFinite(value)) {
    return { field, code: 'OUT_OF_RANGE', message: `${field} is too large a number.` };
  }
  if (value === null || typeof value !== 'object') return null;
  if (depth > limits.jsonDepth) {
    const message = `The body must not be nested deeper than ${limits.jsonDepth} levels.`;
    return { field: field.slice(0, 200), code: 'OUT_OF_RANGE', message };
  }
  for (const [name, one] of Object.entries(value)) {
    const path = fieldPath(field, name);
    const problem = checkText(name, path) ?? checkJson(one, path, depth + 1);
    if (problem) return problem;
  }
  return null;
}

/** `input` and `width` make `input.width`; what the database cannot keep is not repeated to the client either. */
export function fieldPath(parent: string, name: string): string {
  const shown = (name.length > maxNameLength ? `${name.slice(0, maxNameLength)}…` : name)
    .toWellFormed()
    .replaceAll('\0', '\uFFFD');
  return parent === '' ? shown : `${parent}.${shown}`;
}

function checkText(text: string, field: string): ErrorDetail | null {
  if (text.includes('\0')) {
    return { field, code: 'INVALID_FORMAT', message: `${field} must not contain NUL characters.` };
  }
  if (!text.isWellFormed()) {
    return { field, code: 'INVALID_FORMAT', message: `${field} must not contain lone surrogates.` };
  }
  return null;
}
