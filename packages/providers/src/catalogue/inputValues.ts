import { isObject } from '@holdfast/domain/inputFiles';

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
