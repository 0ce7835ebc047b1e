import { type CatalogueModel, type OfferedModel, openModelCatalogue } from '@holdfast/db/models';
import { readFlags } from '@holdfast/kit/flags';
import type { Connection } from '@holdfast/providers/connection';
import { connectionConfig, missingSetting } from '@holdfast/providers/connectionConfig';
import type { Context } from '../command.ts';
import { printJson, printTable } from '../output/print.ts';
import { priceText, routeText, whyNotOffered } from './offers.ts';

export async function modelsList(args: string[], context: Context): Promise<number> {
  const { json, all } = readFlags(args, {
    json: { type: 'boolean', default: false },
    all: { type: 'boolean', default: false },
  });
  const connections = connectionConfig(context.providerEnvironment());
  const known = await openModelCatalogue(await context.openDatabase()).list();
  const models = known.filter(({ definition }) => all || definition.active);
  if (json)
    printJson(
      context,
      models.map((model) => documentOf(model, connections)),
    );
  else
    printTable(
      context,
      models,
      {
        MODEL: ({ definition }) => definition.slug,
        OFFERED: (model) => offeredText(model, connections),
        PRICE: ({ definition }) => priceText(definition),
        SOURCE: ({ source }) => source,
      },
      { PROVIDERS: ({ definition }) => definition.providers.map(routeText).join(', then ') },
    );
  const hidden = known.length - models.length;
  if (hidden > 0)
    context.report(`Not listed: ${hidden} withdrawn or with active: false. --all lists them too.`);
  return 0;
}

function offeredText(model: OfferedModel, connections: Record<string, Connection>): string {
  const why = whyNotOffered(model, connections);
  return why === null ? 'yes' : `no: ${why}`;
}

/** A model for --json: its definition, and whether it is offered. */
export function documentOf(
  model: OfferedModel & Partial<Pick<CatalogueModel, 'source'>>,
  connections: Record<string, Connection>,
) {
  const { definition, isActive, source } = model;
  const { providers, ...rest } = definition;
  return {
    ...rest,
    ...(source && { source }),
    offered: isActive,
    why_not: whyNotOffered(model, connections),
    providers: providers.map((route) => ({ ...route, missing: missingSetting(route, connections) })),
  };
}
