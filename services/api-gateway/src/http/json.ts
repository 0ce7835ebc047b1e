import { ApiError, type ErrorDetail, invalidField } from '@holdfast/domain/errors';
import { parseJson } from '@holdfast/domain/json';
import { limits } from '@holdfast/domain/limits';
import { type BodyLimits, readBody } from './body.ts';
import type { RawRequest } from './endpoint.ts';
import { fieldPath } from './validate.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Undefined without a body. @throws ApiError INPUT_VALIDATION_ERROR, UNSUPPORTED_MEDIA_TYPE, and as `readBody` does */
export async function readJson(
  raw: RawRequest,
  bodyLimits: Omit<BodyLimits, 'maxBytes'>,
  maxBytes: number = limits.jsonBodyBytes,
): Promise<Record<string, unknown> | undefined> {
  const bytes = await readBody(raw, { ...bodyLimits, maxBytes });
  if (bytes.length === 0) return undefined;
  if (!isJsonType(raw.request.headers['content-type'])) {
    throw new ApiError(
      'UNSUPPORTED_MEDIA_TYPE',
      'Send the body with Content-Type: application/json, in UTF-8.',
    );
  }
  const value = parseBody(bytes);
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    throw invalidField('body', 'INVALID_TYPE', 'The body must be a JSON object.');
  }
  const problem = findJsonProblem(value, '', 1);
  if (problem) throw invalidField(problem.field, problem.code, problem.message);
  return value as Record<string, unknown>;
}

/** UTF-8 is the only charset of JSON. */
function isJsonType(contentType: string | undefined): boolean {
  const [type = '', ...parameters] = (contentType ?? '').toLowerCase().split(';');
  const charset = parameters.map((one) => one.trim()).find((one) => one.startsWith('charset='));
  const isUtf8 = charset === undefined || /^charset="?utf-?8"?$/.test(charset);
  return isUtf8 && /^application\/([\w.-]+\+)?json$/.test(type.trim());
}

function parseBody(bytes: Buffer): unknown {
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    throw invalidField('body', 'INVALID_FORMAT', 'The body is not valid UTF-8.');
  }
  try {
    return parseJson(text);
  } catch {
    throw invalidField('body', 'INVALID_FORMAT', 'The body is not valid JSON.');
  }
}

/** The first value that the database cannot store, or null. `depth` is how deep `value` itself is nested. */
export function findJsonProblem(value: unknown, field: string, depth: number): ErrorDetail | null {
  const problem = search(value, depth);
  return problem && problem.detail(problem.path.reduce(fieldPath, field));
}

/** Paths are joined only for an actual problem: most bodies have none, and many fields. */
type Problem = { path: string[]; detail: (field: string) => ErrorDetail };

function search(value: unknown, depth: number): Problem | null {
  if (typeof value === 'string') return textProblem(value);
  if (typeof value === 'number') return Number.isFinite(value) ? null : tooLarge;
  if (value === null || typeof value !== 'object') return null;
  if (depth > limits.jsonDepth) return tooDeep;
  return Array.isArray(value) ? searchList(value, depth) : searchObject(value, depth);
}

function searchList(list: readonly unknown[], depth: number): Problem | null {
  for (const [index, one] of list.entries()) {
    const problem = search(one, depth + 1);
    if (problem) return below(String(index), problem);
  }
  return null;
}

function searchObject(object: object, depth: number): Problem | null {
  for (const name of Object.keys(object)) {
    const problem = textProblem(name) ?? search(Reflect.get(object, name), depth + 1);
    if (problem) return below(name, problem);
  }
  return null;
}

function below(name: string, { path, detail }: Problem): Problem {
  return { path: [name, ...path], detail };
}

const tooLarge: Problem = {
  path: [],
  detail: (field) => ({ field, code: 'OUT_OF_RANGE', message: `${field} is too large a number.` }),
};

const tooDeep: Problem = {
  path: [],
  detail: (field) => ({
    field: field.slice(0, 200),
    code: 'OUT_OF_RANGE',
    message: `The body must not be nested deeper than ${limits.jsonDepth} levels.`,
  }),
};

function textProblem(text: string): Problem | null {
  if (text.includes('\0')) return unstorable('NUL characters');
  return text.isWellFormed() ? null : unstorable('lone surrogates');
}

function unstorable(content: string): Problem {
  return {
    path: [],
    detail: (field) => ({ field, code: 'INVALID_FORMAT', message: `${field} must not contain ${content}.` }),
  };
}
