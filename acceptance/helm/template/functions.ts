import { isDeepStrictEqual } from 'node:util';
import { parse, stringify } from 'yaml';
import { type Dict, isDict, isTrue, textOf } from './values.ts';

type Function = (...args: never[]) => unknown;

const indented = (spaces: number, text: string) => text.replace(/^/gm, ' '.repeat(spaces));
const isEmpty = (value: unknown) => !isTrue(value);

/** Sprig's merge: values of the first map win unless they are empty. Changes and returns the first map. */
function merge(into: Dict, ...others: Dict[]): Dict {
  for (const other of others) {
    for (const [key, value] of Object.entries(other)) {
      const own = into[key];
      if (isDict(own) && isDict(value)) merge(own, value);
      else if (isEmpty(own)) into[key] = value;
    }
  }
  return into;
}

function dict(...pairs: unknown[]): Dict {
  const made: Dict = {};
  for (let at = 0; at < pairs.length; at += 2) made[textOf(pairs[at])] = pairs[at + 1];
  return made;
}

function printf(format: string, ...args: unknown[]): string {
  const left = [...args];
  return format.replace(/%[sd]/g, () => textOf(left.shift()));
}

/** The functions of Go, Sprig and Helm that the chart uses; any other is refused. */
export const functions: Record<string, Function> = {
  add: (...numbers: number[]) => numbers.reduce((sum, number) => sum + number, 0),
  append: (items: unknown[], item: unknown) => [...items, item],
  contains: (part: string, text: string) => text.includes(part),
  deepCopy: (value: unknown) => structuredClone(value),
  default: (preset: unknown, value?: unknown) => (isEmpty(value) ? preset : value),
  dict,
  empty: isEmpty,
  eq: (one: unknown, other: unknown) => isDeepStrictEqual(one, other),
  fromJson: (text: string) => JSON.parse(text) as unknown,
  fromYaml: (text: string) => parse(text) as unknown,
  get: (from: Dict, key: string) => from[key] ?? '',
  gt: (one: number, other: number) => one > other,
  has: (item: unknown, items: unknown[]) => items.some((one) => isDeepStrictEqual(one, item)),
  int: Number,
  join: (by: string, items: unknown[]) => items.map(textOf).join(by),
  kindIs: (kind: string, value: unknown) => typeof value === kind,
  list: (...items: unknown[]) => items,
  merge,
  ne: (one: unknown, other: unknown) => !isDeepStrictEqual(one, other),
  nindent: (spaces: number, text: string) => `\n${indented(spaces, text)}`,
  not: isEmpty,
  printf,
  quote: (value: unknown) => JSON.stringify(textOf(value)),
  replace: (part: string, by: string, text: string) => text.replaceAll(part, by),
  ternary: (one: unknown, other: unknown, isOne: boolean) => (isOne ? one : other),
  toJson: (value: unknown) => JSON.stringify(value),
  toString: textOf,
  toYaml: (value: unknown) => stringify(value, { version: '1.1', lineWidth: 0 }).trimEnd(),
  trim: (text: string) => text.trim(),
  trimSuffix: (suffix: string, text: string) =>
    text.endsWith(suffix) ? text.slice(0, -suffix.length) : text,
  trunc: (length: number, text: string) => text.slice(0, length),
};
