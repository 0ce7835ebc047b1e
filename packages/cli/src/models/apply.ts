import { parseArgs } from 'node:util';
import { applyModels, openModelCatalogue } from '@holdfast/db/models';
import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import { isOffered } from '@holdfast/providers/catalogue/loadModels';
import { connectionConfig } from '@holdfast/providers/connectionConfig';
import type { Context } from '../command.ts';
import { modelsFolder } from '../config.ts';
import { readArguments } from '../flags.ts';
import { sayJson } from '../output/print.ts';
import { table } from '../output/table.ts';
import { UsageError } from '../usageError.ts';
import { type CatalogueChanges, catalogueChanges } from './catalogueChanges.ts';
import { missingSettings } from './offer.ts';
import { readFolder } from './readFolder.ts';

/** 0: applied, or with `--dry-run`: could be; 1: something is wrong with a file, and nothing was changed. */
export async function modelsApply(args: string[], context: Context): Promise<number> {
  const { folder, isDryRun, json } = read(args, context, {
    'dry-run': { type: 'boolean' },
    json: { type: 'boolean' },
  });
  const models = await readFolder(folder, context);
  if (models === null) return 1;
  const connections = connectionConfig(context.providerEnvironment());
  const db = await context.openDatabase();
  const isReachable = (model: ModelDefinition) => isOffered(model, connections);
  const after = models.map((definition) => ({ definition, isActive: isReachable(definition) }));
  const changes = catalogueChanges(await openModelCatalogue(db).list(), after);
  if (!isDryRun) await applyModels(db, models, isReachable);
  const offered = after.filter(({ isActive }) => isActive).map(({ definition }) => definition.slug);
  if (json) {
    sayJson(context, { is_dry_run: isDryRun, ...changes, offered });
    return 0;
  }
  sayChanges(changes, context.say);
  for (const { definition, isActive } of after) {
    const missing = isActive ? null : missingSettings(definition, connections);
    if (definition.active && missing !== null) context.say(`${definition.slug} is not offered: ${missing}`);
  }
  context.say(
    `${isDryRun ? 'Nothing was changed. Of' : 'Of'} ${after.length} models ${offered.length} ${isDryRun ? 'would be' : 'are'} offered.`,
  );
  return 0;
}

/** 0: every file is right; 1: some are not. */
export async function modelsValidate(args: string[], context: Context): Promise<number> {
  const models = await readFolder(read(args, context).folder, context);
  if (models === null) return 1;
  context.say(`All ${models.length} are right.`);
  return 0;
}

function read(
  args: string[],
  { providerEnvironment }: Context,
  options: { 'dry-run'?: { type: 'boolean' }; json?: { type: 'boolean' } } = {},
) {
  const { positionals, values } = readArguments(() => parseArgs({ args, allowPositionals: true, options }));
  const [folder, ...rest] = positionals;
  if (rest.length > 0) throw new UsageError(`there is no "${rest.join(' ')}": one folder is taken`);
  return {
    folder: modelsFolder(folder, providerEnvironment()),
    isDryRun: values['dry-run'] === true,
    json: values.json === true,
  };
}

function sayChanges({ added, changed, withdrawn, unchanged }: CatalogueChanges, say: Context['say']): void {
  const rows = [
    ...added.map((slug) => ['added', slug, '']),
    ...changed.map(({ slug, what }) => ['changed', slug, what.join(', ')]),
    ...withdrawn.map((slug) => ['withdrawn', slug, '']),
    ...unchanged.map((slug) => ['unchanged', slug, '']),
  ];
  for (const line of table(rows)) say(line);
}
