import { isObject } from '@holdfast/domain/inputFiles';
import type { ModelDefinition } from '@holdfast/domain/modelDefinition';

type Properties = Record<string, Record<string, unknown>>;

/** The properties of a model's input, by their names. */
export function propertiesOf({ input_schema: { properties } }: ModelDefinition): Properties {
  if (!isObject(properties)) return {};
  return Object.fromEntries(
    Object.entries(properties).map(([name, one]) => [name, isObject(one) ? one : {}]),
  );
}

/** A schema that declares nothing: the model checks its input itself. */
export function takesAny(definition: ModelDefinition): boolean {
  const { additionalProperties } = definition.input_schema;
  return additionalProperties !== false && Object.keys(propertiesOf(definition)).length === 0;
}

/** The values that a property may have; undefined: it may have others. */
export function choicesOf(definition: ModelDefinition, name: string): unknown[] | undefined {
  const properties = propertiesOf(definition);
  const choices = Object.hasOwn(properties, name) ? properties[name]?.['enum'] : undefined;
  return Array.isArray(choices) ? choices : undefined;
}

/** The ratios that a property may have, such as `16:9`. */
export function ratiosOf(definition: ModelDefinition, name: string): { text: string; ratio: number }[] {
  return (choicesOf(definition, name) ?? []).flatMap((text) => {
    const sides = typeof text === 'string' ? sidesIn(text, ':') : null;
    return sides ? [{ text: String(text), ratio: sides.width / sides.height }] : [];
  });
}

export type FileProperty = { name: string; takesOne: boolean; takesMany: boolean };

export function filePropertiesOf(definition: ModelDefinition): FileProperty[] {
  return Object.entries(propertiesOf(definition)).flatMap(([name, schema]) => {
    const branches = [schema, schema['anyOf'] ?? [], schema['oneOf'] ?? []].flat().filter(isObject);
    const takesOne = branches.some(({ format }) => format === 'file');
    const takesMany = branches.some(({ items }) => isObject(items) && items['format'] === 'file');
    return takesOne || takesMany ? [{ name, takesOne, takesMany }] : [];
  });
}

/** Null: the size is not as `1024x768`. */
export function sidesOf(size: unknown): { width: number; height: number } | null {
  return typeof size === 'string' ? sidesIn(size, 'x') : null;
}

function sidesIn(text: string, sign: string): { width: number; height: number } | null {
  const [width = 0, height = 0, ...more] = text
    .split(sign)
    .map((one) => (/^\d{1,5}$/.test(one) ? Number(one) : 0));
  return width > 0 && height > 0 && more.length === 0 ? { width, height } : null;
}
