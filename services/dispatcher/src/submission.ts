import { getFiles } from '@holdfast/db/files/get';
import { findInputFiles, replaceInputFiles } from '@holdfast/domain/inputFiles';
import { limits } from '@holdfast/domain/limits';
import { type ModelDefinition, mappingOf, providerMode } from '@holdfast/domain/modelDefinition';
import type { Submission } from '@holdfast/providers/interface';
import type { Context } from './context.ts';
import type { Route } from './route.ts';

/** An attempt as the jobs know it. */
export type Run = {
  attemptId: string;
  attemptToken: string;
  /** Where it was sent, or is about to be. */
  connection: string;
  target: string;
  begunAtMs: number;
  /** Characters of its log that the execution has. */
  logged: number;
  id: string;
  organizationId: string;
  model: string;
  input: Record<string, unknown>;
  remainingMs: number;
};

/** What the provider is sent: the client's input with files as URLs, and where to call back. */
export async function toSubmission(
  context: Context,
  { definition, route }: Route,
  run: Run,
): Promise<Submission> {
  return {
    executionId: run.id,
    token: run.attemptToken,
    begunAtMs: run.begunAtMs,
    providerModel: route.model,
    parts: [],
    input: await withFileUrls(context, definition, run),
    options: route.options,
    mode: providerMode(route, run.input),
    mapping: mappingOf(definition, route),
    callbackUrl:
      context.callbackBaseUrl &&
      `${context.callbackBaseUrl}/v1/callbacks/${route.connection}/${run.attemptToken}`,
    timeoutMs: run.remainingMs,
  };
}

async function withFileUrls(
  context: Context,
  definition: ModelDefinition,
  run: Run,
): Promise<Record<string, unknown>> {
  const references = findInputFiles(definition.input_schema, run.input);
  if (references.length === 0) return run.input;
  const ids = [...new Set(references.map(({ id }) => id))];
  const files = await getFiles(context.db, run.organizationId, ids);
  const urls = new Map<string, string>();
  for (const { id, key, filename, contentType } of files) {
    const url = await context.store.presignDownload({
      key,
      filename,
      contentType: contentType ?? 'application/octet-stream',
      expiresInS: limits.downloadUrlS,
    });
    urls.set(id, url);
  }
  const known = references.filter(({ id }) => urls.has(id));
  return replaceInputFiles(run.input, known, (id) => urls.get(id) ?? id);
}
