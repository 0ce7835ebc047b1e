import { type CatalogueModel, openModelCatalogue } from '@holdfast/db/models/cache';
import type { Connection } from '@holdfast/providers/connection';
import { connectionConfig, missingSetting } from '@holdfast/providers/connectionConfig';
import type { Command } from '../command.ts';
import { readFlags } from '../flags.ts';
import { whyNotOffered } from './offer.ts';
import { priceText, routeText, table } from './wording.ts';

export const modelsList: Command = {
  name: 'models list',
  about: 'list the applied catalogue: providers in order, whether each model is offered or why not, price',
  usage: 'holdfast models list [--json]',
  async run(args, { openDatabase, providerEnvironment, say }) {
    const { json } = readFlags(args, { json: { type: 'boolean', default: false } });
    const connections = connectionConfig(providerEnvironment());
    const models = await openModelCatalogue(openDatabase()).list();
    if (json) say(JSON.stringify(models.map((model) => documentOf(model, connections))));
    else for (const line of table([heads, ...models.map((model) => rowOf(model, connections))])) say(line);
    return 0;
  },
};

const heads = ['MODEL', 'OFFERED', 'PRICE', 'PROVIDERS'];

function rowOf(model: CatalogueModel, connections: Record<string, Connection>): string[] {
  const { definition } = model;
  const why = whyNotOffered(model, connections);
  const routes = definition.providers.map(routeText).join(', then ');
  return [definition.slug, why === null ? 'yes' : `no: ${why}`, priceText(definition), routes];
}

/** What scripts read of a model: its definition, and how it stands here. */
export function documentOf(model: CatalogueModel, connections: Record<string, Connection>) {
  const { definition, isActive } = model;
  const { providers, ...rest } = definition;
  return {
    ...rest,
    offered: isActive,
    why_not: whyNotOffered(model, connections),
    providers: providers.map((route) => ({ ...route, missing: missingSetting(route, connections) })),
  };
}
