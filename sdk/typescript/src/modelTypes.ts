import type { Model } from './types.ts';

type Schema = Record<string, unknown>;

/** TypeScript that fills `Models` of `@holdfast/sdk` with the inputs and outputs of these models. */
export function modelTypes(models: readonly Model[], source: string): string {
  const entries = models
    .toSorted((a, b) => (a.slug < b.slug ? -1 : 1))
    .map((model) => {
      // Older services have neither.
      const { output_schema: output, stream } = model as Partial<Model>;
      return [
        comment(model.description, '    '),
        `    ${JSON.stringify(model.slug)}: {`,
        `      input: ${typeOf(model.input_schema, context(model.input_schema, 'input'), '      ')};`,
        `      output: ${output ? typeOf(output, context(output, 'output'), '      ') : 'Record<string, any>'};`,
        ...(stream ? [`      delta: ${deltaTypes[stream]};`] : []),
        '    };',
      ].join('\n');
    });
  return [
    `// The models of ${oneLine(source)}, written by: npx @holdfast/sdk types`,
    "import type { FileInput, OutputFile } from '@holdfast/sdk';",
    '',
    "declare module '@holdfast/sdk' {",
    '  interface Models {',
    ...entries.map((entry) => entry.replace(/^\n/, '')),
    '  }',
    '}',
    '',
  ].join('\n');
}

const deltaTypes: Record<NonNullable<Model['stream']>, string> = {
  text: 'string',
  audio: 'string',
  json: 'unknown',
  image: '{ image?: string }',
};

/** What a schema is part of. Files are given to an input, and taken from an output. */
type Context = {
  root: Schema;
  side: 'input' | 'output';
  depth: number;
  /** The references that led here: one that leads back to itself ends. */
  references: readonly string[];
  /** Schemas that may still be written out: references to references grow like powers. */
  budget: { left: number };
};

const maxDepth = 20;
const maxSchemas = 5000;
const context = (root: Schema, side: Context['side']): Context => ({
  root,
  side,
  depth: 0,
  references: [],
  budget: { left: maxSchemas },
});

function typeOf(schema: unknown, at: Context, indent: string): string {
  if (schema === false) return 'never';
  if (typeof schema !== 'object' || schema === null || at.depth > maxDepth) return 'unknown';
  at.budget.left -= 1;
  if (at.budget.left < 0) return 'unknown';
  const inner = { ...at, depth: at.depth + 1 };
  const one = schema as Schema;
  const reference = one['$ref'];
  if (typeof reference === 'string') {
    if (at.references.includes(reference)) return 'unknown';
    const beyond = { ...inner, references: [...at.references, reference] };
    return typeOf(resolve(at.root, reference), beyond, indent);
  }
  if ('const' in one) return literal(one['const']);
  if (Array.isArray(one['enum'])) return union(one['enum'].map(literal));
  const parts = [ownType(one, inner, indent), ...combinations(one, inner, indent)].filter(
    (part) => part !== null,
  );
  return parts.length === 0
    ? 'unknown'
    : parts.map((part) => (parts.length > 1 ? `(${part})` : part)).join(' & ');
}

function combinations(schema: Schema, at: Context, indent: string): string[] {
  const found: string[] = [];
  for (const name of ['anyOf', 'oneOf']) {
    const some = schema[name];
    // Conditions such as `{required: [...]}` narrow nothing that a type could say.
    if (Array.isArray(some) && some.every(saysType)) {
      found.push(union(some.map((each) => typeOf(each, at, indent))));
    }
  }
  const all = schema['allOf'];
  if (Array.isArray(all)) found.push(...all.filter(saysType).map((each) => `(${typeOf(each, at, indent)})`));
  return found;
}

const typeWords = ['type', 'properties', 'enum', 'const', '$ref', 'anyOf', 'oneOf', 'allOf', 'items'];
const saysType = (schema: unknown) =>
  typeof schema === 'object' && schema !== null && typeWords.some((word) => word in schema);

function ownType(schema: Schema, at: Context, indent: string): string | null {
  const { type } = schema;
  if (Array.isArray(type)) return union(type.map((each) => basicType(String(each), schema, at, indent)));
  if (typeof type === 'string') return basicType(type, schema, at, indent);
  if ('properties' in schema) return objectType(schema, at, indent);
  return 'items' in schema ? arrayType(schema, at, indent) : null;
}

function basicType(type: string, schema: Schema, at: Context, indent: string): string {
  if (type === 'string') return schema['format'] === 'file' && at.side === 'input' ? 'FileInput' : 'string';
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'boolean' || type === 'null') return type;
  if (type === 'array') return arrayType(schema, at, indent);
  return type === 'object' ? objectType(schema, at, indent) : 'unknown';
}

function arrayType({ items, prefixItems }: Schema, at: Context, indent: string): string {
  if (Array.isArray(prefixItems)) {
    const rest = items === false ? '' : `, ...${element(typeOf(items ?? {}, at, indent))}[]`;
    return `[${prefixItems.map((each) => typeOf(each, at, indent)).join(', ')}${rest}]`;
  }
  return `${element(typeOf(items ?? {}, at, indent))}[]`;
}

const element = (type: string) => (/[|&]/.test(type) && !/^[{[]/.test(type) ? `(${type})` : type);

function objectType(schema: Schema, at: Context, indent: string): string {
  const properties = Object.entries((schema['properties'] ?? {}) as Schema);
  const extra = schema['additionalProperties'];
  const isOpen = typeof extra === 'object' && extra !== null && Object.keys(extra).length > 0;
  const values = isOpen ? typeOf(extra, at, indent) : 'unknown';
  if (properties.length === 0) return extra === false ? 'Record<string, never>' : `Record<string, ${values}>`;
  const required = new Set(Array.isArray(schema['required']) ? schema['required'] : []);
  const lines = properties.map(([name, property]) => {
    const { description } = (typeof property === 'object' && property !== null ? property : {}) as Schema;
    const mark = required.has(name) ? '' : '?';
    const line = `${indent}  ${propertyName(name)}${mark}: ${typeOf(property, at, `${indent}  `)};`;
    return [comment(description, `${indent}  `), line].filter((text) => text !== '').join('\n');
  });
  const own = `{\n${lines.join('\n')}\n${indent}}`;
  const isFile = at.side === 'output' && isFileId((schema['properties'] as Schema)['file_id']);
  return isFile ? `OutputFile & ${own}` : own;
}

const isFileId = (schema: unknown) => (schema as Schema | undefined)?.['format'] === 'file';

/** A reference within the document: `#/$defs/name`. Others cannot be resolved here. */
function resolve(root: Schema, reference: string): unknown {
  if (!reference.startsWith('#')) return {};
  const steps = reference.slice(1).split('/').slice(1);
  return steps.reduce<unknown>(
    (found, step) => (found as Schema | undefined)?.[step.replaceAll('~1', '/').replaceAll('~0', '~')],
    root,
  );
}

const union = (types: string[]) => [...new Set(types)].join(' | ') || 'never';

function literal(value: unknown): string {
  return typeof value === 'object' && value !== null ? 'unknown' : JSON.stringify(value);
}

const propertyName = (name: string) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));

// The text is the server's: it must not end the comment.
const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ').replaceAll('*/', '* /').trim();

function comment(text: unknown, indent: string): string {
  return typeof text === 'string' && text.trim() !== '' ? `${indent}/** ${oneLine(text)} */` : '';
}
