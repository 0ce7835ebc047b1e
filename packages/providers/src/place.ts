import { toNumber } from '@holdfast/domain/json';
import { compilePattern } from '@holdfast/domain/pattern';
import { atPointer, pointerSteps } from '@holdfast/domain/pointer';
import { FunctionExpressionType, JSONPathEnvironment } from 'json-p3';

/** Deeper than any parsed document (egress/response.ts). */
const jsonPath = new JSONPathEnvironment({ maxRecursionDepth: 256 });

// The library's own run JavaScript's regular expressions, some of which take exponential time.
jsonPath.functionRegister.set(
  'match',
  patternFunction((source) => `^(?:${source})$`),
);
jsonPath.functionRegister.set(
  'search',
  patternFunction((source) => source),
);

/** As RFC 9535 has it, what is not a text or not a pattern does not match. */
function patternFunction(whole: (source: string) => string) {
  const { ValueType, LogicalType } = FunctionExpressionType;
  return {
    argTypes: [ValueType, ValueType],
    returnType: LogicalType,
    call(text: unknown, source: unknown): boolean {
      if (typeof text !== 'string' || typeof source !== 'string') return false;
      try {
        return compilePattern(whole(source)).test(text);
      } catch {
        return false;
      }
    },
  };
}

const pointer = /^(\/([^~/]|~[01])*)*$/;

/** By RFC 6901 pointer (`""`: all) or RFC 9535 JSONPath, whose values become a list if several; undefined: nothing found. */
export function atPlace(document: unknown, place: string): unknown {
  return place.startsWith('$') ? atPath(document, place) : atPointer(document, place);
}

/**
 * A number from 0, or null. Some servers report numbers as strings, for example all that write 64-bit integers of proto3
 * as JSON.
 */
export function numberAt(document: unknown, place: string): number | null {
  const found = atPlace(document, place);
  const isText = typeof found === 'string' && /^\d+(\.\d+)?(e[+-]?\d+)?$/i.test(found.trim());
  const value = isText ? Number(found) : toNumber(found);
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null;
}

export function placeProblem(place: string): string | null {
  if (!place.startsWith('$'))
    return pointer.test(place)
      ? null
      : 'must be a JSON pointer such as /job/id ("" for the whole response), or a JSONPath such as $.jobs[0].id';
  try {
    jsonPath.compile(place);
    return null;
  } catch (error) {
    return `is not a JSONPath: ${error instanceof Error ? error.message : String(error)}`;
  }
}

export type Found = { path: (string | number)[]; value: unknown };

/** Every value at a place; a list counts as its items. */
export function findAll(document: unknown, place: string): Found[] {
  return nodesAt(document, place).flatMap(({ path, value }) =>
    Array.isArray(value)
      ? value.map((item, index) => ({ path: [...path, index], value: item }))
      : [{ path, value }],
  );
}

/** A copy with other values at these paths. */
export function replaceAt(value: unknown, found: readonly Found[]): unknown {
  const here = found.find(({ path }) => path.length === 0);
  if (here !== undefined) return here.value;
  if (found.length === 0 || value === null || typeof value !== 'object') return value;
  const below = Map.groupBy(found, ({ path: [step = ''] }) => String(step));
  const replaced = (name: string, one: unknown) =>
    replaceAt(
      one,
      (below.get(name) ?? []).map(({ path, value: other }) => ({ path: path.slice(1), value: other })),
    );
  if (Array.isArray(value)) return value.map((one, index) => replaced(String(index), one));
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, replaced(name, one)]));
}

function nodesAt(document: unknown, place: string): Found[] {
  if (place.startsWith('$')) {
    try {
      return [...jsonPath.query(place, document as never)].map(({ location, value }) => ({
        path: location,
        value,
      }));
    } catch {
      return [];
    }
  }
  const value = atPointer(document, place);
  return value === undefined ? [] : [{ path: pointerSteps(place), value }];
}

function atPath(document: unknown, path: string): unknown {
  try {
    const [first, ...more] = jsonPath.query(path, document as never).values();
    return more.length === 0 ? first : [first, ...more];
  } catch {
    return undefined;
  }
}
