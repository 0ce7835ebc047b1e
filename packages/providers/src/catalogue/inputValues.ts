import { isObject } from '@holdfast/domain/inputFiles';
import { compileSchema } from '@holdfast/kit/jsonSchema/compile';
import { inputFormats } from '@holdfast/kit/jsonSchema/inputFormats';
import { describeProblem } from '@holdfast/kit/jsonSchema/problem';
import { SchemaError } from '@holdfast/kit/jsonSchema/references';

/** What the input schema of a model says about its properties. */
export type Schema = Record<string, unknown>;

export type Value = string | number | boolean;
/** The values of a property. Open: there may be other ones, too. */
type Domain = { values: Value[]; isOpen: boolean };

export function domainOf(schema: Schema, name: string): Domain {
  const property = propertyOf(schema, name);
  const isOpen = { values: [], isOpen: true };
  if (property === null) return isOpen;
  const { type, enum: choices, const: only } = property;
  const given = only === undefined ? choices : [only];
  if (given === undefined) return type === 'boolean' ? { values: [true, false], isOpen: false } : isOpen;
  if (!Array.isArray(given)) return isOpen;
  const values = given.filter((one): one is Value => ['string', 'number', 'boolean'].includes(typeof one));
  return { values, isOpen: values.length < given.length };
}

/** The rule of the property that the value breaks, in words; null: it may have it. */
export function brokenRule(schema: Schema, name: string, value: Value): string | null {
  if (propertyOf(schema, name) === null) return null;
  const pointer = name.replaceAll('~', '~0').replaceAll('/', '~1');
  // Rules for objects pass by a value that is none.
  const { $id = '', $defs = {}, definitions = {}, properties } = schema;
  const $ref = `#/properties/${encodeURIComponent(pointer)}`;
  try {
    const validate = compileSchema({ $id, $defs, definitions, properties, $ref }, inputFormats);
    const [problem] = validate(value).problems;
    return problem === undefined ? null : describeProblem(problem);
  } catch (error) {
    // What is wrong with the schema itself is reported where it is.
    if (error instanceof SchemaError || error instanceof RangeError) return null;
    throw error;
  }
}

/** Only where the schema itself declares it: parts of a choice may differ. */
export function propertyOf({ properties }: Schema, name: string): Schema | null {
  const found = isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
  return isObject(found) ? found : null;
}

/** Defaults other than null are filled in before a run is priced. */
export function isAlwaysGiven(schema: Schema, name: string): boolean {
  const { required } = schema;
  const isRequired = Array.isArray(required) && required.includes(name);
  return isRequired || (propertyOf(schema, name)?.['default'] ?? null) !== null;
}
