import { buffer } from 'node:stream/consumers';
import type { FileRow } from '@holdfast/db/files';
import { getFiles } from '@holdfast/db/files';
import {
  findInputFiles,
  type InputFile,
  maxInputFileBytes,
  replaceInputFiles,
} from '@holdfast/domain/inputFiles';
import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import type { ProviderRoute } from '@holdfast/domain/modelRoute';
import { ObjectNotFoundError } from '@holdfast/files/store';
import { changeInput, type PreparedInput } from '@holdfast/providers/input';
import type { FilePart } from '@holdfast/providers/interface';
import type { Context } from './context.ts';
import type { Run } from './submission.ts';

/** A file of the input that can't be sent: to nobody (`gone`), or not to this provider (`too_large`). */
export class UnusableInputFile extends Error {
  readonly why: 'gone' | 'too_large';

  constructor(why: 'gone' | 'too_large') {
    super(why === 'gone' ? 'A file of the input is gone.' : 'A file of the input is too large.');
    this.why = why;
  }
}

type Stores = Pick<Context, 'db' | 'store'>;
type Asked = Pick<Run, 'organizationId' | 'input'>;

/**
 * The client's input as a provider takes it: files as its route says (`files.as`), and properties renamed, set and left out
 * (`input`). Rejects with UnusableInputFile; what the store or the database throws passes through.
 */
export async function prepareInput(
  context: Stores,
  definition: Pick<ModelDefinition, 'input_schema'>,
  route: Pick<ProviderRoute, 'files' | 'input'>,
  run: Asked,
): Promise<PreparedInput> {
  const references = findInputFiles(definition.input_schema, run.input).filter(
    ({ path }) => !route.input?.omit.includes(String(path[0])),
  );
  const files = await filesOf(context, route, run, references);
  if (route.files.as === 'multipart') {
    const parts = references.map(({ path, id }) => toPart(context, fileWith(files, id), path));
    return changeInput({ input: run.input, parts }, route.input);
  }
  const texts = new Map<string, string>();
  for (const [id, file] of files) texts.set(id, await inText(context, route, file));
  const input = replaceInputFiles(run.input, references, (id) => texts.get(id) ?? id);
  return changeInput({ input, parts: [] }, route.input);
}

async function filesOf(
  { db }: Stores,
  route: Pick<ProviderRoute, 'files'>,
  { organizationId }: Asked,
  references: InputFile[],
): Promise<Map<string, FileRow>> {
  const ids = [...new Set(references.map(({ id }) => id))];
  const files = new Map((await getFiles(db, organizationId, ids)).map((file) => [file.id, file]));
  const most = maxInputFileBytes(route);
  for (const id of ids) {
    if ((fileWith(files, id).sizeBytes ?? 0) > most) throw new UnusableInputFile('too_large');
  }
  return files;
}

function fileWith(files: Map<string, FileRow>, id: string): FileRow {
  const file = files.get(id);
  if (!file || file.state !== 'ready') throw new UnusableInputFile('gone');
  return file;
}

async function inText(
  context: Stores,
  { files }: Pick<ProviderRoute, 'files'>,
  file: FileRow,
): Promise<string> {
  const { key, filename } = file;
  const contentType = typeOf(file);
  if (files.as === 'data_uri') {
    const bytes = await buffer(await open(context, key));
    return `data:${contentType};base64,${bytes.toString('base64')}`;
  }
  const expiresInS = files.url_lifetime_s;
  return await context.store.presignDownload({ key, filename, contentType, expiresInS });
}

function toPart(context: Stores, file: FileRow, path: InputFile['path']): FilePart {
  const { key, filename, sizeBytes } = file;
  return {
    path,
    filename,
    contentType: typeOf(file),
    sizeBytes: sizeBytes ?? 0,
    open: () => open(context, key),
  };
}

async function open({ store }: Stores, key: string) {
  return await store.read(key).catch((error: unknown) => {
    throw error instanceof ObjectNotFoundError ? new UnusableInputFile('gone') : error;
  });
}

function typeOf({ contentType }: FileRow): string {
  return contentType ?? 'application/octet-stream';
}
