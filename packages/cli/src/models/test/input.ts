import { createReadStream, readFileSync } from 'node:fs';
import { basename, extname } from 'node:path';
import { Readable } from 'node:stream';
import { findInputFiles } from '@holdfast/domain/inputFiles';
import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import { allowedTypes, extensionOf } from '@holdfast/files/allowedTypes';
import { inputProblem } from '@holdfast/providers/catalogue/problems';
import { UsageError } from '../../usageError.ts';
import { exampleInput } from './exampleInput.ts';
import { samplePicture, sampleSound } from './samples.ts';

export type TestFile = { filename: string; contentType: string; bytes: Buffer; open(): Readable };

/** The input with a `file_` id in place of each file, and the file of each id. */
export type TestInput = { input: Record<string, unknown>; files: Map<string, TestFile> };

/**
 * What to run a model with: `given` as JSON, or `@file` that holds it; undefined: its example. In properties that are
 * files, `@path` is a local file, and what an example says there is a sample picture.
 * @throws UsageError when it is no input of the model
 */
export function testInput(
  { input_schema: schema }: Pick<ModelDefinition, 'input_schema'>,
  given: string | undefined,
): TestInput {
  const written = given === undefined ? exampleInput(schema) : parse(given);
  const { input, files } = withFiles(schema, written, given === undefined);
  const problem = inputProblem(schema, input);
  if (problem !== null) {
    const which =
      given === undefined ? 'the example of the model is no input of it, give --input' : '--input';
    throw new UsageError(`${which}: ${problem}`);
  }
  return { input, files };
}

function parse(given: string): Record<string, unknown> {
  const text = given.startsWith('@') ? read(given.slice(1)).toString('utf8') : given;
  try {
    const value: unknown = JSON.parse(text);
    if (value !== null && typeof value === 'object' && !Array.isArray(value)) {
      return value as Record<string, unknown>;
    }
  } catch {
    // Told below.
  }
  throw new UsageError('--input is no JSON object');
}

function withFiles(schema: object, written: Record<string, unknown>, isExample: boolean): TestInput {
  const paths = new Map<string, string>();
  const marked = replaceStrings(written, (text) => {
    if (!text.startsWith('@')) return text;
    const id = `file_local-${paths.size + 1}`;
    paths.set(id, text);
    return id;
  });
  const found = findInputFiles(schema, marked);
  const files = new Map(found.map(({ id }) => [id, fileOf(id, paths.get(id), isExample)]));
  // A text that merely begins with @ is a text.
  const input = replaceStrings(marked, (text) => (files.has(text) ? text : (paths.get(text) ?? text)));
  return { input, files };
}

function fileOf(id: string, path: string | undefined, isExample: boolean): TestFile {
  if (path !== undefined) return localFile(path.slice(1));
  if (!isExample) throw new UsageError('--input: files of the service are not read here: give @path');
  const isSound = /audio|sound/.test(id);
  const bytes = isSound ? sampleSound() : samplePicture();
  const [filename, contentType] = isSound ? ['sample.wav', 'audio/wav'] : ['sample.png', 'image/png'];
  return { filename, contentType, bytes, open: () => Readable.from([bytes]) };
}

function localFile(path: string): TestFile {
  const bytes = read(path);
  const extension = extname(path).slice(1).toLowerCase().replace('jpeg', 'jpg');
  const contentType = allowedTypes.find((type) => extensionOf(type) === extension);
  if (contentType === undefined) throw new UsageError(`--input: no type of file is known for ${path}`);
  return { filename: basename(path), contentType, bytes, open: () => createReadStream(path) };
}

function read(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    throw new UsageError(`--input: ${path} can't be read`);
  }
}

/** A copy with every string in it replaced. */
export function replaceStrings<Value>(value: Value, replaced: (text: string) => string): Value {
  const walk = (one: unknown): unknown => {
    if (typeof one === 'string') return replaced(one);
    if (Array.isArray(one)) return one.map(walk);
    if (one === null || typeof one !== 'object') return one;
    return Object.fromEntries(Object.entries(one).map(([name, part]) => [name, walk(part)]));
  };
  return walk(value) as Value;
}
