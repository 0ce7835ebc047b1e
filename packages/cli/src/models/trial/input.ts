import { createReadStream, readFileSync } from 'node:fs';
import { basename, extname } from 'node:path';
import { Readable } from 'node:stream';
import { withDefaults } from '@holdfast/domain/inputDefaults';
import { findInputFiles } from '@holdfast/domain/inputFiles';
import { parseJson } from '@holdfast/domain/json';
import type { PricedInput } from '@holdfast/domain/quantities';
import { allowedTypes, extensionOf } from '@holdfast/files/contentTypes';
import { measure, measuredHeadBytes } from '@holdfast/files/measures';
import { UsageError } from '@holdfast/kit/flags';
import { inputProblem } from '@holdfast/providers/catalogue/inputSchema';
import { sampleImage, sampleSound } from './samples.ts';

export type TestFile = { filename: string; contentType: string; bytes: Buffer; open(): Readable };

/** The input with a `file_` id in place of each file, and the files by their ids. */
export type TestInput = { input: Record<string, unknown>; files: Map<string, TestFile> };

/**
 * JSON, `@file`, or the model's example. `@path` in a file property is a local file; other files are left to the service if
 * `hasUploads`. @throws UsageError for refused input
 */
export function testInput(
  { input_schema: schema }: { input_schema: Schema },
  given: string | undefined,
  { hasUploads = false } = {},
): TestInput {
  const written = given === undefined ? exampleInput(schema) : parse(given);
  const isUploaded = (path: string | undefined) => hasUploads && path === undefined && given !== undefined;
  const { input, files } = withFiles(schema, written, { isExample: given === undefined, isUploaded });
  const problem = inputProblem(schema, input);
  if (problem !== null) {
    const which =
      given === undefined ? "the model's example does not fit its input_schema, use --input" : '--input';
    throw new UsageError(`${which}: ${problem}`);
  }
  return { input: withDefaults(schema, input), files };
}

/** With what a create would measure of the files. */
export async function pricedInput({ input, files }: TestInput): Promise<PricedInput> {
  const measured = [...files].map(async ([id, { contentType, bytes }]) => {
    const head = bytes.subarray(0, measuredHeadBytes);
    const read = async (start: number, end: number) => bytes.subarray(start, end + 1);
    return [id, await measure({ contentType, sizeBytes: bytes.length, head }, read)] as const;
  });
  return { input, files: new Map(await Promise.all(measured)) };
}

function parse(given: string): Record<string, unknown> {
  const text = given.startsWith('@') ? read(given.slice(1)).toString('utf8') : given;
  try {
    const value = parseJson(text);
    if (value !== null && typeof value === 'object' && !Array.isArray(value)) {
      return value as Record<string, unknown>;
    }
  } catch {
    // Reported below.
  }
  throw new UsageError('--input is not a JSON object');
}

function withFiles(
  schema: object,
  written: Record<string, unknown>,
  { isExample, isUploaded }: { isExample: boolean; isUploaded: (path: string | undefined) => boolean },
): TestInput {
  const paths = new Map<string, string>();
  const marked = replaceStrings(written, (text) => {
    if (!text.startsWith('@')) return text;
    const id = `file_local-${paths.size + 1}`;
    paths.set(id, text);
    return id;
  });
  const found = findInputFiles(schema, marked).filter(({ id }) => !isUploaded(paths.get(id)));
  const files = new Map(found.map(({ id }) => [id, fileOf(id, paths.get(id), isExample)]));
  // In other properties @ is part of the text.
  const input = replaceStrings(marked, (text) => (files.has(text) ? text : (paths.get(text) ?? text)));
  return { input, files };
}

function fileOf(id: string, path: string | undefined, isExample: boolean): TestFile {
  if (path !== undefined) return localFile(path.slice(1));
  if (!isExample) throw new UsageError('--input: uploaded files can not be used here: give @path');
  const isSound = /audio|sound/.test(id);
  const bytes = isSound ? sampleSound() : sampleImage();
  const [filename, contentType] = isSound ? ['sample.wav', 'audio/wav'] : ['sample.png', 'image/png'];
  return { filename, contentType, bytes, open: () => Readable.from([bytes]) };
}

function localFile(path: string): TestFile {
  const bytes = read(path);
  const extension = extname(path).slice(1).toLowerCase().replace('jpeg', 'jpg');
  const contentType = allowedTypes.find((type) => extensionOf(type) === extension);
  if (contentType === undefined) throw new UsageError(`--input: the type of ${path} is unknown`);
  return { filename: basename(path), contentType, bytes, open: () => createReadStream(path) };
}

function read(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    throw new UsageError(`--input: ${path} can't be read`);
  }
}

export function replaceStrings<Value>(value: Value, replaced: (text: string) => unknown): Value {
  const walk = (one: unknown): unknown => {
    if (typeof one === 'string') return replaced(one);
    if (Array.isArray(one)) return one.map(walk);
    if (one === null || typeof one !== 'object') return one;
    return Object.fromEntries(Object.entries(one).map(([name, part]) => [name, walk(part)]));
  };
  return walk(value) as Value;
}

type Schema = Record<string, unknown>;

/** The first example of an `input_schema`, else a minimal input: defaults and required properties. */
export function exampleInput(schema: Schema): Record<string, unknown> {
  const [first] = Array.isArray(schema['examples']) ? (schema['examples'] as unknown[]) : [];
  if (isObject(first)) return first;
  const minimal = minimalValue(schema);
  return isObject(minimal) ? minimal : {};
}

function minimalValue(schema: Schema): unknown {
  const { default: defaultValue, const: only, enum: choices, examples } = schema;
  const [given] = [defaultValue, only, [choices, examples].flat()[0]].filter((value) => value !== undefined);
  if (given !== undefined) return given;
  const branch = [schema['anyOf'], schema['oneOf']].flat().find(isObject);
  if (branch) return minimalValue(branch);
  return minimalByType[String([schema['type']].flat()[0])]?.(schema) ?? null;
}

const minimalByType: Record<string, (schema: Schema) => unknown> = {
  string: ({ format, minLength }) => (format === 'file' ? 'file_example' : text(number(minLength, 1))),
  integer: ({ minimum }) => Math.ceil(number(minimum, 1)),
  number: ({ minimum }) => number(minimum, 1),
  boolean: () => false,
  array: ({ items, minItems }) =>
    Array.from({ length: number(minItems, 0) }, () => (isObject(items) ? minimalValue(items) : 'example')),
  object: ({ properties, required }) => {
    const needed = Array.isArray(required) ? required : [];
    const entries = Object.entries(isObject(properties) ? properties : {}).filter(
      ([name, part]) => needed.includes(name) || (isObject(part) && part['default'] !== undefined),
    );
    return Object.fromEntries(
      entries.map(([name, part]) => [name, isObject(part) ? minimalValue(part) : 'example']),
    );
  },
};

const text = (length: number) =>
  'A lighthouse at dawn. '
    .repeat(Math.ceil(length / 22))
    .trim()
    .padEnd(length, '.');

const number = (value: unknown, otherwise: number) => (typeof value === 'number' ? value : otherwise);

const isObject = (value: unknown): value is Schema =>
  value !== null && typeof value === 'object' && !Array.isArray(value);
