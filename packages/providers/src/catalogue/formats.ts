import { nearestName } from '@holdfast/domain/nearest';
import type { ModelProblem } from './problems.ts';
import { schemaParts } from './schemaParts.ts';

/** Formats of JSON Schema and OpenAPI's registry: they are valid in a schema, and checked by the provider, if at all. */
const annotations = new Set(
  `
  date time date-time duration email idn-email hostname idn-hostname ipv4 ipv6 uri uri-reference
  uri-template iri iri-reference uuid regex json-pointer relative-json-pointer http-date
  date-time-local time-local int8 int16 int32 int64 uint8 uint16 uint32 uint64 double-int float double
  decimal decimal128 binary byte base64url char password html commonmark media-range color url path
  textarea
`.match(/\S+/g),
);

type Format = { name: string; path: (string | number)[] };

export function formatsOf(schema: Record<string, unknown>): Format[] {
  return schemaParts(schema).flatMap(({ schema: part, path }) =>
    typeof part.format === 'string' ? [{ name: part.format, path: [...path, 'format'] }] : [],
  );
}

export function formatProblems(schema: Record<string, unknown>): ModelProblem[] {
  return formatsOf(schema)
    .filter(({ name }) => isMisspeltFile(name))
    .map(({ name, path }) => ({
      path: ['input_schema', ...path],
      message: `"${name}" is not known; is "file" meant?`,
    }));
}

/** What is accepted, and does not do what its author may expect. */
export function formatWarnings(schema: Record<string, unknown>): ModelProblem[] {
  return formatsOf(schema)
    .filter(({ name }) => name !== 'file' && !isMisspeltFile(name))
    .map(({ name, path }) => ({ path: ['input_schema', ...path], message: warningOf(name) }));
}

function warningOf(name: string): string {
  const instead =
    name === 'binary' ? 'a file that clients upload has `format: file`' : 'use `pattern` to check it';
  return `"${name}" is not checked; ${instead}`;
}

function isMisspeltFile(name: string): boolean {
  return name !== 'file' && !annotations.has(name) && nearestName(name, ['file']) !== null;
}
