import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { modelSlug } from '@holdfast/domain/modelDefinition';
import { readArguments, UsageError } from '@holdfast/kit/flags';
import { parseModel } from '@holdfast/providers/catalogue/parseModel';
import { cogDraft } from '@holdfast/providers/cog/draft';
import type { Connection } from '@holdfast/providers/connection';
import { connectionConfig, keyVariable } from '@holdfast/providers/connectionConfig';
import { DraftError, type ModelDraft, slugOf } from '@holdfast/providers/drafts/draft';
import { modelFile } from '@holdfast/providers/drafts/modelFile';
import { falDraft } from '@holdfast/providers/fal/draft';
import { openaiDraft } from '@holdfast/providers/openai/draft';
import { replicateDraft } from '@holdfast/providers/replicate/draft';
import type { Context } from '../command.ts';
import { modelsFolder } from '../config.ts';
import { exitCodes } from '../errors.ts';

type Connections = Record<string, Connection>;

/** `named`: the connection of the flag. @throws DraftError, UsageError */
type Source = (name: string, named: string | undefined, connections: Connections) => Promise<ModelDraft>;

const sources: Record<string, Source> = {
  replicate: (name, named = 'replicate', connections) =>
    replicateDraft(withKey(connections, named), named, name),
  fal: (name, named = 'fal', connections) =>
    falDraft(
      connections[named] ?? { baseUrl: 'https://queue.fal.run', apiKey: null, settings: {} },
      named,
      name,
    ),
  openai: (name, named = 'openai', connections) => {
    const known = connections[named];
    if (known === undefined) throw new DraftError(`${named.toUpperCase()}_BASE_URL is not set`);
    return openaiDraft(known, named, name);
  },
  cog: async (url, named, connections) => {
    if (!/^https?:\/\//.test(url) || !URL.canParse(url))
      throw new UsageError('a container is named by its URL, such as http://10.0.0.6:5000');
    const base = url.replace(/\/+$/, '');
    const [found] = Object.entries(connections).find(([, { baseUrl }]) => baseUrl === base) ?? [];
    const apiKey = found === undefined ? null : (connections[found]?.apiKey ?? null);
    return await cogDraft({ baseUrl: base, apiKey, settings: {} }, named ?? found ?? 'cog');
  },
};

/** 0: the file is written and valid; 1: it has problems, which are printed; 3: the provider does not describe the model. */
export async function modelsImport(args: string[], context: Context): Promise<number> {
  const { source, name, values } = read(args);
  const environment = context.providerEnvironment();
  const draft = await source(name, values.connection, connectionConfig(environment)).catch(
    (error: unknown) => {
      if (!(error instanceof DraftError)) throw error;
      context.report(`holdfast: ${error.message}`);
      return null;
    },
  );
  if (draft === null) return exitCodes.notRun;
  const slug = modelSlug.safeParse(values.slug ?? slugOf(draft.name));
  if (!slug.success) throw new UsageError('--slug must be lower case: letters, digits, . _ -');
  const file = `${slug.data}.yaml`;
  const path = join(modelsFolder(values.models, environment), file);
  const text = modelFile(draft, slug.data);
  await writeFile(path, text, { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST')
      throw new Error(`${path} can't be written (${error.code})`, { cause: error });
    throw new UsageError(`${path} exists: remove it, or give another --slug`);
  });
  context.print(path);
  const { problems } = parseModel(file, text);
  for (const problem of problems) context.report(problem);
  context.report(
    `Complete the comments, then: holdfast models test ${slug.data} --models ${values.models ?? 'models'}`,
  );
  return problems.length === 0 ? 0 : exitCodes.wrong;
}

function read(args: string[]) {
  const { positionals, values } = readArguments(args, {
    slug: { type: 'string' },
    connection: { type: 'string' },
    models: { type: 'string' },
  });
  const [kind = '', name, ...rest] = positionals;
  const source = Object.hasOwn(sources, kind) ? sources[kind] : undefined;
  if (source === undefined || name === undefined || rest.length > 0)
    throw new UsageError(`models import takes ${Object.keys(sources).join(', ')}, and a name`);
  return { source, name, values };
}

/** @throws DraftError */
function withKey(connections: Connections, named: string): Connection {
  const known = connections[named];
  if (known === undefined || known.apiKey === null) throw new DraftError(`${keyVariable(named)} is not set`);
  return known;
}
