import { ApiError, invalidField } from '@holdfast/domain/errors';
import { limits } from '@holdfast/domain/limits';
import { checkJson } from './checkJson.ts';
import type { RawRequest } from './endpoint.ts';
import { type BodyTerms, readBody } from './readBody.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * The JSON object in a body; undefined when there is no body.
 * @throws ApiError INPUT_VALIDATION_ERROR, UNSUPPORTED_MEDIA_TYPE, and as `readBody` does
 */
export async function readJson(
  raw: RawRequest,
  terms: Omit<BodyTerms, 'maxBytes'>,
): Promise<Record<string, unknown> | undefined> {
  const bytes = await readBody(raw, { ...terms, maxBytes: limits.jsonBodyBytes });
  if (bytes.length === 0) return undefined;
  if (!isJsonType(raw.request.headers['content-type'])) {
    throw new ApiError(
      'UNSUPPORTED_MEDIA_TYPE',
      'The body must be sent with Content-Type: application/json.',
    );
  }
  const value = parse(bytes);
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    throw invalidField('body', 'INVALID_TYPE', 'The body must be a JSON object.');
  }
  const problem = checkJson(value, '', 1);
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

function parse(bytes: Buffer): unknown {
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    throw invalidField('body', 'INVALID_FORMAT', 'The body is not valid UTF-8.');
  }
  try {
    return JSON.parse(text);
  } catch {
    throw invalidField('body', 'INVALID_FORMAT', 'The body is not valid JSON.');
  }
}
