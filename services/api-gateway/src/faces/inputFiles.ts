import { invalidField } from '@holdfast/domain/errors';
import { findInputUrls, isObject, replaceInputFiles } from '@holdfast/domain/inputFiles';
import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import { fieldPath } from '../http/validate.ts';
import type { RequestFiles } from './requestFiles.ts';

const maxFiles = 32;

type Input = Record<string, unknown>;

/**
 * The input of a create, whose files are stored when it is first read, however often that is. `ownFile`: the id of a file that a
 * URL of ours names.
 */
export function createInput(
  definition: ModelDefinition,
  input: Input,
  files: Pick<RequestFiles, 'fetch'>,
  ownFile: (url: string) => string | null,
): () => Promise<Input> {
  let stored: Promise<Input> | null = null;
  return () => (stored ??= storeInputFiles(definition, knownInput(definition, input), files, ownFile));
}

/** What the model knows of an input, by its own names or those of its providers. The rest is left out, as elsewhere. */
function knownInput({ input_schema: schema, providers }: ModelDefinition, input: Input): Input {
  const { properties, additionalProperties } = schema;
  if (additionalProperties !== false || !isObject(properties)) return input;
  const renamed = providers.flatMap((provider) =>
    Object.entries(provider.input?.rename ?? {}).map(([ours, theirs]) => [theirs, ours] as const),
  );
  const ownName = new Map(renamed.filter(([theirs]) => !Object.hasOwn(properties, theirs)));
  const named = Object.entries(input).map(([name, value]) => [ownName.get(name) ?? name, value] as const);
  return Object.fromEntries(named.filter(([name]) => Object.hasOwn(properties, name)));
}

/** Puts the ids of the files that an input names by URLs and data URIs in place. @throws ApiError */
async function storeInputFiles(
  { input_schema: schema }: ModelDefinition,
  input: Input,
  files: Pick<RequestFiles, 'fetch'>,
  ownFile: (url: string) => string | null,
): Promise<Input> {
  const found = findInputUrls(schema, input);
  if (found.length > maxFiles)
    throw invalidField('input', 'OUT_OF_RANGE', `input may have ${maxFiles} files.`);
  const ids = new Map<string, string>();
  // One after the other, so that a refusal leaves no download behind that no one removes.
  for (const { path, id: url } of found) {
    const field = path.map(String).reduce(fieldPath, 'input');
    if (!ids.has(url)) ids.set(url, ownFile(url) ?? (await files.fetch(field, url)));
  }
  return replaceInputFiles(input, found, (url) => ids.get(url) ?? url);
}
