import { ApiError, invalidField } from '@holdfast/domain/errors';
import { limits } from '@holdfast/domain/limits';
import { z } from 'zod';
import { jsonObject } from '../../http/fields.ts';

/** Fields that Replicate knows and Holdfast does not are ignored there, too. */
export const predictionBody = z.looseObject({
  input: jsonObject('Parameters of the model', { prompt: 'a lighthouse' }).default({}),
  stream: z.boolean().nullish(),
  webhook: z.string().max(limits.urlLength).nullish(),
  webhook_events_filter: z.array(z.enum(['start', 'output', 'logs', 'completed'])).nullish(),
});

export const versionedBody = predictionBody.extend({ version: z.string().min(1).max(300) });

export type PredictionBody = z.infer<typeof predictionBody>;

/**
 * JavaScript's client 1.4.0 with `fileEncodingStrategy: "data-uri"` sends itself as the input, with its API key. @throws
 * ApiError, before anything is stored
 */
export function refuseKeyIn(input: unknown, authorization: string | undefined): void {
  const key = /^\S+ +(\S+)/.exec(authorization ?? '')?.[1];
  if (key === undefined || !holds(input, key)) return;
  const message =
    'The input contains your API key, and was not stored. The client replicate 1.4.0 sends it with `fileEncodingStrategy: "data-uri"`: leave that option out.';
  throw invalidField('input', 'INVALID', message);
}

function holds(value: unknown, text: string): boolean {
  if (typeof value === 'string') return value.includes(text);
  if (value === null || typeof value !== 'object') return false;
  return Object.entries(value).some(([name, one]) => name.includes(text) || holds(one, text));
}

const unitsS = { h: 3600, m: 60, s: 1 };

/** Seconds of `Cancel-After: 90s`, `10m` or `1h30m`; undefined: the model decides. @throws ApiError */
export function timeoutS(header: string | string[] | undefined): number | undefined {
  if (header === undefined) return undefined;
  const text = header.toString().trim();
  const [, h, m, s] = /^(?:(\d{1,6})h)?(?:(\d{1,6})m)?(?:(\d{1,6})s?)?$/i.exec(text) ?? [];
  if (text === '' || (h ?? m ?? s) === undefined)
    throw new ApiError('INPUT_VALIDATION_ERROR', 'Cancel-After must be a duration such as 90s or 10m.');
  const seconds = Number(h ?? 0) * unitsS.h + Number(m ?? 0) * unitsS.m + Number(s ?? 0) * unitsS.s;
  return Math.min(Math.max(seconds, limits.minTimeoutS), limits.maxTimeoutS);
}
