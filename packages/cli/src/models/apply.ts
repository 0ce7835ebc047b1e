import { isDeepStrictEqual } from 'node:util';
import { applyModels, type CatalogueModel, type OfferedModel, openModelCatalogue } from '@holdfast/db/models';
import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import { readArguments, UsageError } from '@holdfast/kit/flags';
import { isOffered } from '@holdfast/providers/catalogue/loadModels';
import { connectionConfig, missingSettings } from '@holdfast/providers/connectionConfig';
import type { Context } from '../command.ts';
import { modelsFolder } from '../config.ts';
import { printJson, table } from '../output/print.ts';
import { readFolder } from './source.ts';

/** 0: applied, or with `--dry-run` valid; 1: a file has problems, and nothing was changed. */
export async function modelsApply(args: string[], context: Context): Promise<number> {
  const { folder, isDryRun, replacesConsole, json } = read(args, context, {
    'dry-run': { type: 'boolean' },
    'replace-console': { type: 'boolean' },
    json: { type: 'boolean' },
  });
  const files = await readFolder(folder, context);
  if (files === null) return 1;
  const { models, texts } = files;
  const connections = connectionConfig(context.providerEnvironment());
  const db = await context.openDatabase();
  const isReachable = (model: ModelDefinition) => isOffered(model, connections);
  const after = models.map((definition) => ({ definition, isActive: isReachable(definition) }));
  const changes = catalogueChanges(await openModelCatalogue(db).list(), after, replacesConsole);
  if (!isDryRun) await applyModels(db, models, isReachable, { texts, replacesConsole });
  const offered = after.filter(({ isActive }) => isActive).map(({ definition }) => definition.slug);
  if (json) {
    printJson(context, { is_dry_run: isDryRun, ...changes, offered });
    return 0;
  }
  printChanges(changes, context.print);
  for (const { definition, isActive } of after) {
    const missing = isActive ? null : missingSettings(definition.providers, connections);
    if (definition.active && missing !== null) context.print(`${definition.slug} is not offered: ${missing}`);
  }
  context.print(
    `${isDryRun ? 'Nothing was changed. Of' : 'Of'} ${after.length} models ${offered.length} ${isDryRun ? 'would be' : 'are'} offered.`,
  );
  return 0;
}

/** 0: every file is valid; 1: some have problems. */
export async function modelsValidate(args: string[], context: Context): Promise<number> {
  const found = await readFolder(read(args, context).folder, context);
  if (found === null) return 1;
  context.print(`All ${found.models.length} models are valid.`);
  return 0;
}

function read(
  args: string[],
  { providerEnvironment }: Context,
  options: Partial<Record<'dry-run' | 'replace-console' | 'json', { type: 'boolean' }>> = {},
) {
  const { positionals, values } = readArguments(args, options);
  const [folder, ...rest] = positionals;
  if (rest.length > 0) throw new UsageError(`unexpected "${rest.join(' ')}": models takes one folder`);
  return {
    folder: modelsFolder(folder, providerEnvironment()),
    isDryRun: values['dry-run'] === true,
    replacesConsole: values['replace-console'] === true,
    json: values.json === true,
  };
}

function printChanges(
  { added, changed, withdrawn, unchanged, conflicts }: CatalogueChanges,
  print: Context['print'],
): void {
  const rows = [
    ...added.map((slug) => ['added', slug, '']),
    ...changed.map(({ slug, what }) => ['changed', slug, what.join(', ')]),
    ...withdrawn.map((slug) => ['withdrawn', slug, '']),
    ...unchanged.map((slug) => ['unchanged', slug, '']),
    ...conflicts.map(({ slug, what }) => ['conflict', slug, what.join(', ')]),
  ];
  for (const line of table(rows)) print(line);
  if (conflicts.length === 0) return;
  print(
    'A conflict: the console has another version, which stays. Write its `holdfast models export SLUG` to the file, or',
  );
  print('apply with --replace-console.');
}

/** What applying these files changes in the catalogue, by slug. */
type CatalogueChanges = {
  added: string[];
  /** `what`: top-level fields, and whether it is offered. */
  changed: { slug: string; what: string[] }[];
  withdrawn: string[];
  unchanged: string[];
  /** `what` a file would change of a model that the console keeps. */
  conflicts: { slug: string; what: string[] }[];
};

function catalogueChanges(
  before: readonly CatalogueModel[],
  after: readonly OfferedModel[],
  replacesConsole: boolean,
): CatalogueChanges {
  const known = new Map(before.map((model) => [model.definition.slug, model]));
  const slugs = new Set(after.map(({ definition }) => definition.slug));
  const compared = after.flatMap((model) => {
    const { slug } = model.definition;
    const old = known.get(slug);
    if (old === undefined) return [];
    return [{ slug, what: differences(old, model), isKept: old.source === 'console' && !replacesConsole }];
  });
  const different = compared.filter(({ what }) => what.length > 0);
  const withoutMark = (some: typeof compared) => some.map(({ slug, what }) => ({ slug, what }));
  return {
    added: [...slugs].filter((slug) => !known.has(slug)),
    changed: withoutMark(different.filter(({ isKept }) => !isKept)),
    withdrawn: before
      .filter(({ definition, isActive, source }) => source === 'file' && (isActive || definition.active))
      .map(({ definition }) => definition.slug)
      .filter((slug) => !slugs.has(slug)),
    unchanged: compared.filter(({ what }) => what.length === 0).map(({ slug }) => slug),
    conflicts: withoutMark(different.filter(({ isKept }) => isKept)),
  };
}

function differences(before: OfferedModel, after: OfferedModel): string[] {
  const [old, now] = [asStored(before.definition), asStored(after.definition)];
  const fields = [...new Set([...Object.keys(old), ...Object.keys(now)])]
    .filter((field) => !isDeepStrictEqual(old[field], now[field]))
    .toSorted();
  if (before.isActive === after.isActive) return fields;
  return [...fields, after.isActive ? 'is offered' : 'is no longer offered'];
}

/** As the database returns it. */
const asStored = (definition: ModelDefinition) =>
  JSON.parse(JSON.stringify(definition)) as Record<string, unknown>;
