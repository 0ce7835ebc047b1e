import { ApiError } from '@holdfast/domain/errors';
import { type IdPrefix, isId } from '@holdfast/domain/ids';
import { isTime } from '@holdfast/domain/times';
import { z } from 'zod';

/** A time in a response: ISO 8601, UTC, milliseconds. */
export function timestamp(description: string) {
  return z.iso.datetime().meta({ description, example: '2026-03-20T10:30:00.000Z' });
}

/** An amount of money in a response: a decimal string. */
export function amount(description: string) {
  return z.string().meta({ description, example: '0.048' });
}

/** `10000` as `10,000`. `toLocaleString` would load 6 MB of ICU's data. */
export function withCommas(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

export function idField(prefix: IdPrefix, description = 'Id') {
  return z.string().meta({ description, example: exampleId(prefix) });
}

export function idFilter(prefix: IdPrefix, description: string) {
  return z
    .string()
    .refine((text) => isId(prefix, text), {
      message: `must be an id such as ${exampleId(prefix)}`,
      params: { code: 'INVALID_FORMAT' },
    })
    .meta({ description, example: exampleId(prefix) });
}

/** One of `choices`, or several of them separated by commas. */
export function choicesFilter<Choice extends string>(choices: readonly Choice[], description: string) {
  const chosenIn = (text: string) => text.split(',').map((one) => choices.find((choice) => choice === one));
  return z
    .string()
    .refine((text) => !chosenIn(text).includes(undefined), {
      message: `must be one of ${choices.join(', ')}, or several separated by commas`,
    })
    .transform((text) => chosenIn(text).filter((choice) => choice !== undefined))
    .optional()
    .describe(`${description}: ${choices.join(', ')}; several are separated by commas`);
}

export const exampleId = (prefix: IdPrefix) => `${prefix}_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d`;

/** The id in a path. `requireId` turns a malformed one into 404. */
export function idParams<Name extends string>(prefix: IdPrefix, name: Name) {
  return z.object({ [name]: idField(prefix) } as Record<Name, ReturnType<typeof idField>>);
}

/** @throws NOT_FOUND for a malformed id */
export function requireId(prefix: IdPrefix, id: string, what: string): string {
  if (!isId(prefix, id)) throw notFound(what);
  return id;
}

/** The same error for what does not exist and for what belongs to another organization. */
export function notFound(what: string): ApiError {
  return new ApiError('NOT_FOUND', `There is no such ${what}.`);
}

export const errorUrl = (publicUrl: string, code: string) => `${publicUrl}/docs/errors/${code}`;

/** A time in a request, with its zone, or a date: `toDate` and `new Date` read it. */
export function timeField() {
  return z
    .string()
    .refine(isTime, {
      message: 'must be a time such as 2026-03-20T10:30:00Z, or a date such as 2026-03-20 (00:00 UTC)',
      params: { code: 'INVALID_FORMAT' },
    })
    .meta({
      example: '2026-03-20T10:30:00Z',
      override: ({ jsonSchema }) => {
        delete jsonSchema.type;
        jsonSchema.anyOf = ['date-time', 'date'].map((format) => ({ type: 'string', format }));
      },
    });
}

const notInteger = 'must be an integer in decimal digits';

/** An integer in a query: decimal digits alone, of all that JavaScript reads as a number (`0x10`, `1e1`, ` 5`, `5.0`). */
export function integerParameter(args: { min: number; max: number; default: number }) {
  const range = { minimum: args.min, maximum: args.max, default: args.default };
  return z
    .preprocess((text, check) => {
      if (typeof text === 'string' && /^-?\d+$/.test(text)) return Number(text);
      check.addIssue({ code: 'custom', message: notInteger, params: { code: 'INVALID_TYPE' } });
      return z.NEVER;
    }, z.int().min(args.min).max(args.max))
    .default(args.default)
    .meta({ override: { type: 'integer', ...range } });
}

export function timeFilter(description: string) {
  return timeField().optional().describe(`${description}: a time, or a date (00:00 UTC)`);
}

export function toDate(text: string | undefined): Date | undefined {
  return text === undefined ? undefined : new Date(text);
}

/** Any JSON object, passed through unchanged. */
export function jsonObject(description: string, example: Record<string, unknown>) {
  return z
    .custom<Record<string, unknown>>(isObject, {
      message: 'must be an object',
      params: { code: 'INVALID_TYPE' },
    })
    .meta({
      description,
      example,
      override: { type: 'object', additionalProperties: true },
    });
}

function isObject(value: unknown): boolean {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
