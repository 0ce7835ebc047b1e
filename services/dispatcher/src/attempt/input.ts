import type { Database } from '@holdfast/db/client';
import { retryTransient } from '@holdfast/db/faults';
import { type FileRow, getFileMeasures, getFiles } from '@holdfast/db/files';
import { providerPriceOf } from '@holdfast/domain/charge';
import {
  findInputFiles,
  type InputFile,
  maxInputFileBytes,
  replaceInputFiles,
} from '@holdfast/domain/inputFiles';
import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import type { ProviderRoute } from '@holdfast/domain/modelRoute';
import { dependsOnFiles } from '@holdfast/domain/pricing';
import type { PricedInput } from '@holdfast/domain/quantities';
import { ObjectNotFoundError, type ObjectStore } from '@holdfast/files/store';
import type { Logger } from '@holdfast/kit/logger';
import { changeInput, type PreparedInput } from '@holdfast/providers/input';
import type { FilePart, Progress } from '@holdfast/providers/interface';
import type { Route } from './route.ts';
import type { Attempt, FirstCall } from './submission.ts';

type Files = { db: Database; store: ObjectStore };

/** Returns a result when the input can't be sent. A run is recovered without its files, for it may have been accepted. */
export async function prepareInput(
  files: Files,
  log: Logger,
  { definition, route }: Pick<Route, 'definition' | 'route'>,
  attempt: Pick<Attempt, 'executionId' | 'attemptId' | 'organizationId' | 'input'>,
  firstCall: FirstCall,
): Promise<PreparedInput | Extract<Progress, { state: 'ended' | 'refused' }>> {
  try {
    return await buildInput(files, definition, route, attempt);
  } catch (error) {
    const isUnusable = error instanceof UnusableInputFile;
    if (firstCall === 'recover' && isUnusable) return noFiles(attempt);
    if (firstCall === 'recover') throw error;
    log.warn(
      { err: error, executionId: attempt.executionId, attemptId: attempt.attemptId },
      'could not prepare an input',
    );
    return isUnusable ? results[error.reason] : storeUnavailable;
  }
}

const storeUnavailable = {
  state: 'refused',
  retryAfterMs: 2000,
  outcome: { ok: false, code: 'SERVICE_UNAVAILABLE', message: 'A file of the input could not be read.' },
} as const;

const results = {
  gone: {
    state: 'ended',
    outcome: { ok: false, code: 'FILE_NOT_FOUND', message: 'A file of the input is gone.' },
  },
  // The model's next provider may take it.
  too_large: {
    state: 'refused',
    retryAfterMs: null,
    outcome: { ok: false, code: 'INPUT_VALIDATION_ERROR', message: 'A file of the input is too large.' },
  },
} as const;

class UnusableInputFile extends Error {
  readonly reason: 'gone' | 'too_large';

  constructor(reason: 'gone' | 'too_large') {
    super(reason === 'gone' ? 'A file of the input is gone.' : 'A file of the input is too large.');
    this.reason = reason;
  }
}

/** Files as the route wants them, and properties renamed, set and left out. @throws UnusableInputFile */
export async function buildInput(
  files: Files,
  definition: Pick<ModelDefinition, 'input_schema'>,
  route: Pick<ProviderRoute, 'files' | 'input'>,
  attempt: Pick<Attempt, 'organizationId' | 'input'>,
): Promise<PreparedInput> {
  const references = findInputFiles(definition.input_schema, attempt.input).filter(
    ({ path }) => !route.input?.omit.includes(String(path[0])),
  );
  const sent =
    references.length === 0 ? noFiles(attempt) : await withFiles(files, route, attempt, references);
  return changeInput(sent, route.input);
}

const noFiles = ({ input }: Pick<Attempt, 'input'>): PreparedInput => ({ input, parts: [] });

async function withFiles(
  files: Files,
  route: Pick<ProviderRoute, 'files'>,
  attempt: Pick<Attempt, 'organizationId' | 'input'>,
  references: InputFile[],
): Promise<PreparedInput> {
  const ids = [...new Set(references.map(({ id }) => id))];
  const rows = new Map(
    (await getFiles(files.db, attempt.organizationId, ids)).map((file) => [file.id, file]),
  );
  const maxBytes = maxInputFileBytes(route);
  for (const id of ids) {
    if ((readyFile(rows, id).sizeBytes ?? 0) > maxBytes) throw new UnusableInputFile('too_large');
  }
  if (route.files.as === 'multipart') {
    const parts = references.map(({ path, id }) => toPart(files, readyFile(rows, id), path));
    return { input: attempt.input, parts };
  }
  const texts = new Map<string, string>();
  for (const [id, file] of rows) texts.set(id, await toText(files, route, file));
  return { input: replaceInputFiles(attempt.input, references, (id) => texts.get(id) ?? id), parts: [] };
}

function readyFile(rows: Map<string, FileRow>, id: string): FileRow {
  const file = rows.get(id);
  if (!file || file.state !== 'ready') throw new UnusableInputFile('gone');
  return file;
}

async function toText(
  files: Files,
  { files: { as, url_lifetime_s: expiresInS } }: Pick<ProviderRoute, 'files'>,
  file: FileRow,
): Promise<string> {
  const { key, filename, sizeBytes } = file;
  const contentType = typeOf(file);
  if (as === 'data_uri') {
    // Servers refuse a range of an empty object.
    const bytes = sizeBytes
      ? await files.store.readRange(key, { start: 0, end: sizeBytes - 1 }).catch(throwUnusable)
      : Buffer.alloc(0);
    return `data:${contentType};base64,${bytes.toString('base64')}`;
  }
  return await files.store.presignDownload({ key, filename, contentType, expiresInS });
}

function toPart(files: Files, file: FileRow, path: InputFile['path']): FilePart {
  const { key, filename, sizeBytes } = file;
  return {
    path,
    filename,
    contentType: typeOf(file),
    sizeBytes: sizeBytes ?? 0,
    open: () => files.store.read(key).catch(throwUnusable),
  };
}

function throwUnusable(error: unknown): never {
  throw error instanceof ObjectNotFoundError ? new UnusableInputFile('gone') : error;
}

function typeOf({ contentType }: FileRow): string {
  return contentType ?? 'application/octet-stream';
}

/** The provider has been paid, so a database that is away is waited for. */
const retryForMs = 60_000;

export async function pricedInput(
  { db }: Pick<Files, 'db'>,
  log: Logger,
  { definition, route }: Pick<Route, 'definition' | 'route'>,
  { organizationId, input }: Pick<Attempt, 'organizationId' | 'input'>,
): Promise<PricedInput> {
  const { estimate } = definition;
  const prices = [definition.price, providerPriceOf({ definition, route }) ?? []].flat();
  const isOfFiles = prices.some((price) => dependsOnFiles({ price, estimate }));
  const found = isOfFiles ? findInputFiles(definition.input_schema, input) : [];
  if (found.length === 0) return { input, files: new Map() };
  const ids = found.map(({ id }) => id);
  const read = () => getFileMeasures(db, organizationId, ids);
  return { input, files: await retryTransient(log, retryForMs, read) };
}
