import { invalidField } from '@holdfast/domain/errors';
import { findInputUrls, replaceInputFiles } from '@holdfast/domain/inputFiles';
import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import { fieldPath } from '../http/validate.ts';
import type { RequestFiles } from './requestFiles.ts';

const maxFiles = 32;

/**
 * Stores the files that an input names by URLs and data URIs, and puts their ids in place. `ownFile`: the id of a file that
 * a URL of ours names. @throws ApiError
 */
export async function storeInputFiles(
  { input_schema: schema }: ModelDefinition,
  input: Record<string, unknown>,
  files: Pick<RequestFiles, 'fetch'>,
  ownFile: (url: string) => string | null,
): Promise<Record<string, unknown>> {
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
