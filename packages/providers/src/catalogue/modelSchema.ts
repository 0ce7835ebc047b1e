import { modelDefinition } from '@holdfast/domain/modelDefinition';
import { adapters } from '@holdfast/domain/modelRoute';
import { z } from 'zod';
import { optionsSchema } from '../adapterOptions.ts';

export type SchemaNode = {
  type?: string;
  description?: string;
  default?: unknown;
  enum?: unknown[];
  const?: unknown;
  properties?: Record<string, SchemaNode>;
  required?: string[];
  additionalProperties?: boolean | SchemaNode;
  items?: SchemaNode;
  anyOf?: SchemaNode[];
  allOf?: object[];
};

export function modelSchema(): SchemaNode {
  const { $schema, ...schema } = z.toJSONSchema(modelDefinition, { io: 'input', target: 'draft-7' });
  const oneOf = [{ required: ['provider'] }, { required: ['providers'] }];
  const { provider, providers } = schema.properties as { provider: SchemaNode; providers: SchemaNode };
  for (const node of [provider, providers.items ?? {}]) node.allOf = optionsByAdapter();
  return { $schema, title: 'A model of Holdfast', ...schema, oneOf } as SchemaNode;
}

function optionsByAdapter(): object[] {
  return adapters.flatMap((adapter) => {
    const options = optionsSchema(adapter);
    const isOf = { properties: { adapter: { const: adapter } }, required: ['adapter'] };
    // oxlint-disable-next-line unicorn/no-thenable -- JSON Schema calls it so
    return options === null ? [] : [{ if: isOf, then: { properties: { options } } }];
  });
}

/** The keys a mapping at this path may have; empty when any are allowed. */
export function keysAt(path: readonly PropertyKey[], schema: SchemaNode = modelSchema()): string[] {
  const places = path.reduce<SchemaNode[]>(
    (nodes, step) => nodes.flatMap((node) => below(node, step)),
    [schema],
  );
  return places.flatMap(choices).flatMap(({ properties }) => Object.keys(properties ?? {}));
}

const choices = (node: SchemaNode): SchemaNode[] => [node, ...(node.anyOf ?? []).flatMap(choices)];

function below(node: SchemaNode, step: PropertyKey): SchemaNode[] {
  return choices(node).flatMap(({ properties = {}, items, additionalProperties }) => {
    if (typeof step === 'number') return items ?? [];
    const named = properties[String(step)];
    return named ?? (typeof additionalProperties === 'object' ? additionalProperties : []);
  });
}
