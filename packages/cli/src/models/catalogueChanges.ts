import { isDeepStrictEqual } from 'node:util';
import type { CatalogueModel } from '@holdfast/db/models';
import type { ModelDefinition } from '@holdfast/domain/modelDefinition';

/** What applying these files does to the catalogue; each list is of slugs. */
export type CatalogueChanges = {
  added: string[];
  /** With what changes: top-level fields, and whether it is offered. */
  changed: { slug: string; what: string[] }[];
  withdrawn: string[];
  unchanged: string[];
};

/** `after`: what the files say, and whether each is going to be offered. */
export function catalogueChanges(
  before: readonly CatalogueModel[],
  after: readonly CatalogueModel[],
): CatalogueChanges {
  const known = new Map(before.map((model) => [model.definition.slug, model]));
  const slugs = new Set(after.map(({ definition }) => definition.slug));
  const compared = after.flatMap((model) => {
    const { slug } = model.definition;
    const old = known.get(slug);
    return old === undefined ? [] : [{ slug, what: differences(old, model) }];
  });
  return {
    added: [...slugs].filter((slug) => !known.has(slug)),
    changed: compared.filter(({ what }) => what.length > 0),
    withdrawn: before
      .filter(({ definition, isActive }) => (isActive || definition.active) && !slugs.has(definition.slug))
      .map(({ definition }) => definition.slug),
    unchanged: compared.filter(({ what }) => what.length === 0).map(({ slug }) => slug),
  };
}

function differences(before: CatalogueModel, after: CatalogueModel): string[] {
  const [old, now] = [asStored(before.definition), asStored(after.definition)];
  const fields = [...new Set([...Object.keys(old), ...Object.keys(now)])]
    .filter((field) => !isDeepStrictEqual(old[field], now[field]))
    .toSorted();
  if (before.isActive === after.isActive) return fields;
  return [...fields, after.isActive ? 'is offered' : 'is no longer offered'];
}

/** As the table gives it back. */
const asStored = (definition: ModelDefinition) =>
  JSON.parse(JSON.stringify(definition)) as Record<string, unknown>;
