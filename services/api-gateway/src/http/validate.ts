import { ApiError, type ErrorDetail } from '@holdfast/domain/errors';
import { nearestName } from '@holdfast/domain/nearest';
import { requirementOf, withoutNeedlessSizes } from '@holdfast/kit/requirement';
import { z } from 'zod';

type Issue = z.core.$ZodIssue;

/** A body can have any number of problems; a response lists at most this many. */
export const maxDetails = 100;

/** A null that its schema forbids counts as absent. @throws ApiError INPUT_VALIDATION_ERROR with all problems */
export function validate<Schema extends z.ZodType>(schema: Schema, value: unknown): z.infer<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issues = withoutNeedlessSizes(parsed.error.issues);
  const present = withoutNulls(
    value,
    issues.map(({ path }) => path),
  );
  if (present !== null) return validate(schema, present);
  throw invalidInput(issues.slice(0, maxDetails).flatMap((issue) => toDetails(issue, value, schema)));
}

/** A copy without the fields at `paths` that are null; null when none of them is null. */
export function withoutNulls<Value>(value: Value, paths: readonly (readonly PropertyKey[])[]): Value | null {
  const nulls = paths.filter((path) => isNullField(value, path));
  if (nulls.length === 0) return null;
  const copy = structuredClone(value);
  for (const path of nulls) {
    const parent = at(copy, path.slice(0, -1));
    const name = path.at(-1);
    if (isObject(parent) && name !== undefined) Reflect.deleteProperty(parent, name);
  }
  return copy;
}

/** A list item is not a field: removing it would shift the others. */
function isNullField(value: unknown, path: readonly PropertyKey[]): boolean {
  const parent = at(value, path.slice(0, -1));
  return path.length > 0 && at(value, path) === null && isObject(parent) && !Array.isArray(parent);
}

const isObject = (value: unknown): value is object => value !== null && typeof value === 'object';

/** Problems that the error's own message repeats. */
const maxInMessage = 5;

export function invalidInput(details: ErrorDetail[]): ApiError {
  const messages = details.slice(0, maxInMessage).map((detail) => detail.message);
  const more = details.length - messages.length;
  const message = [...messages, ...(more > 0 ? [`And ${more} more.`] : [])].join(' ');
  return new ApiError('INPUT_VALIDATION_ERROR', message, { details });
}

function toDetails(issue: Issue, value: unknown, schema: z.ZodType): ErrorDetail[] {
  const field = issue.path.map(String).reduce(fieldPath, '');
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.slice(0, maxDetails).map((key) => {
      const unknown = fieldPath(field, key);
      const meant = nearestName(key, namesAt(schema, issue.path));
      const hint = meant === null ? '' : ` Did you mean ${fieldPath(field, meant)}?`;
      return { field: unknown, code: 'UNKNOWN_FIELD', message: `${unknown} is not a known field.${hint}` };
    });
  }
  const isMissing = at(value, issue.path) === undefined;
  const name = field || 'body';
  if (isMissing) return [{ field: name, code: 'REQUIRED', message: `${name} is required.` }];
  const problem = requirementOf(issue) ?? issue.message;
  const message = problem.startsWith('must') ? `${name} ${problem}.` : `${name}: ${problem}.`;
  return [{ field: name, code: codeOf(issue), message }];
}

/** The fields of the object at a path of a schema; none where there are alternatives. */
function namesAt(schema: z.ZodType, path: readonly PropertyKey[]): string[] {
  const at = path.reduce<z.ZodType | undefined>((one, step) => shapeOf(one)[String(step)], schema);
  return Object.keys(shapeOf(at));
}

/** Inside what makes a schema optional or refines it. */
function shapeOf(schema: z.ZodType | undefined): Record<string, z.ZodType> {
  if (schema instanceof z.ZodObject) return schema.shape;
  if (schema instanceof z.ZodPipe) return shapeOf(schema.in as z.ZodType);
  const isWrapped =
    schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault;
  return isWrapped ? shapeOf(schema.unwrap() as z.ZodType) : {};
}

/** A refinement gives its code as `params: { code }`. */
function codeOf(issue: Issue): string {
  switch (issue.code) {
    case 'too_small':
    case 'too_big':
    case 'not_multiple_of':
      return 'OUT_OF_RANGE';
    case 'invalid_format':
      return issue.format === 'url' ? 'INVALID_URL' : 'INVALID_FORMAT';
    case 'invalid_value':
      return 'INVALID_VALUE';
    case 'custom':
      return typeof issue.params?.code === 'string' ? issue.params.code : 'INVALID_VALUE';
    default:
      return 'INVALID_TYPE';
  }
}

function at(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((here, step) => (isObject(here) ? Reflect.get(here, step) : undefined), value);
}

/** Limits how much of a name made up by a client is sent back. */
const maxNameLength = 100;

/** `input` and `width` make `input.width`. Characters that the database cannot store are replaced. */
export function fieldPath(parent: string, name: string): string {
  const shown = (name.length > maxNameLength ? `${name.slice(0, maxNameLength)}…` : name)
    .toWellFormed()
    .replaceAll('\0', '\uFFFD');
  return parent === '' ? shown : `${parent}.${shown}`;
}
