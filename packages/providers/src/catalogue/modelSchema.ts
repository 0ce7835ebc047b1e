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
  $ref?: string;
  definitions?: Record<string, SchemaNode>;
};

export function modelSchema(): SchemaNode {
  const { $schema, ...schema } = z.toJSONSchema(modelDefinition, { io: 'input', target: 'draft-7' });
  const oneOf = [{ required: ['provider'] }, { required: ['providers'] }];
  const { provider } = schema.definitions as { provider: SchemaNode };
  provider.allOf = optionsByAdapter();
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
    (nodes, step) => nodes.flatMap((node) => below(schema, node, step)),
    [schema],
  );
  return places
    .flatMap((node) => choices(schema, node))
    .flatMap(({ properties }) => Object.keys(properties ?? {}));
}

const choices = (root: SchemaNode, node: SchemaNode): SchemaNode[] => {
  const resolved = definitionOf(root, node) ?? node;
  return [resolved, ...(resolved.anyOf ?? []).flatMap((one) => choices(root, one))];
};

/** What a node refers to, itself or with a description of its own. Null: nothing. */
export function definitionOf(
  { definitions = {} }: SchemaNode,
  { $ref, allOf }: SchemaNode,
): SchemaNode | null {
  const [only] = (allOf ?? []) as SchemaNode[];
  const name = ($ref ?? only?.$ref)?.replace('#/definitions/', '');
  return name === undefined ? null : (definitions[name] ?? null);
}

function below(root: SchemaNode, node: SchemaNode, step: PropertyKey): SchemaNode[] {
  return choices(root, node).flatMap(({ properties = {}, items, additionalProperties }) => {
    if (typeof step === 'number') return items ?? [];
    const named = properties[String(step)];
    return named ?? (typeof additionalProperties === 'object' ? additionalProperties : []);
  });
}
