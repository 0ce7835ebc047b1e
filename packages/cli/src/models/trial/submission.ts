import { randomBytes } from 'node:crypto';
import { newId } from '@holdfast/domain/ids';
import { type ModelDefinition } from '@holdfast/domain/modelDefinition';
import { type ProviderRoute, providerMode } from '@holdfast/domain/modelRoute';
import { mappingOf } from '@holdfast/domain/outcome';
import { changeInput } from '@holdfast/providers/input';
import type { FilePart, Submission } from '@holdfast/providers/interface';
import { replaceStrings, type TestFile, type TestInput } from './input.ts';

/** A test run: without a callback; files are data URIs or, where the route wants a form, its parts. */
export function testSubmission(
  definition: ModelDefinition,
  route: ProviderRoute,
  { input, files }: TestInput,
  timeoutMs: number,
): Submission {
  const isForm = route.files.as === 'multipart';
  const parts = isForm ? partsOf(input, files) : [];
  const inText = isForm ? input : replaceStrings(input, (text) => dataUri(files.get(text)) ?? text);
  return {
    executionId: newId('exec'),
    token: randomBytes(24).toString('base64url'),
    startedAtMs: Date.now(),
    providerModel: route.model,
    ...changeInput({ input: inText, parts }, route.input),
    options: route.options,
    mode: providerMode(route, input),
    mapping: mappingOf(definition, route),
    callbackUrl: null,
    timeoutMs,
  };
}

function dataUri(file: TestFile | undefined): string | undefined {
  return file && `data:${file.contentType};base64,${file.bytes.toString('base64')}`;
}

function partsOf(input: Record<string, unknown>, files: TestInput['files']): FilePart[] {
  return stringsIn(input, []).flatMap(({ path, text }) => {
    const file = files.get(text);
    if (file === undefined) return [];
    const { filename, contentType, bytes, open } = file;
    return [{ path, filename, contentType, sizeBytes: bytes.length, open: async () => open() }];
  });
}

function stringsIn(value: unknown, path: (string | number)[]): { path: (string | number)[]; text: string }[] {
  if (typeof value === 'string') return [{ path, text: value }];
  if (Array.isArray(value)) return value.flatMap((one, index) => stringsIn(one, [...path, index]));
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([name, one]) => stringsIn(one, [...path, name]));
}
