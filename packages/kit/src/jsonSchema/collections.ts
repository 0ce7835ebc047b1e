import { isNumber } from '@holdfast/domain/json';
import { compilePattern, type Pattern } from '@holdfast/domain/pattern';
import type { Compiler, KeywordTable } from './compile.ts';
import {
  type Check,
  type Evaluation,
  evaluate,
  evaluateBranch,
  isValid,
  type Judged,
  keysOf,
  mark,
  type Node,
  type Place,
  report,
  spend,
} from './evaluation.ts';
import { entriesOf, isObject, type JsonObject, textOf } from './values.ts';

/** Keywords of lists and of objects. */
export const collectionKeywords: KeywordTable = {
  maxItems: (limit) => sizeCheck('maxItems', limit, Array.isArray),
  minItems: (limit) => sizeCheck('minItems', limit, Array.isArray),
  maxProperties: (limit) => sizeCheck('maxProperties', limit, isObject),
  minProperties: (limit) => sizeCheck('minProperties', limit, isObject),
  uniqueItems: (isUnique) => (isUnique === true ? checkUnique : undefined),
  prefixItems: (schemas, compiler) => {
    const nodes = [schemas].flat().map(compiler.nodeOf);
    return listCheck((list, child) => {
      for (const [index, node] of nodes.slice(0, list.length).entries()) child(node, list[index], index);
    });
  },
  items: (schema, compiler, { prefixItems = [] }) => {
    const node = compiler.nodeOf(schema);
    const start = [prefixItems].flat().length;
    return listCheck((list, child) => {
      for (let index = start; index < list.length; index += 1) child(node, list[index], index);
    });
  },
  contains: (schema, compiler, { minContains = 1, maxContains = Number.POSITIVE_INFINITY }) =>
    containsCheck(compiler.nodeOf(schema), Number(minContains), Number(maxContains)),
  required: (names) =>
    objectCheck((object, at, evaluation) => requireAll(names, 'required', object, at, evaluation)),
  dependentRequired: (needs) =>
    objectCheck((object, at, evaluation) => {
      for (const [name, names] of entriesOf(needs)) {
        if (Object.hasOwn(object, name)) requireAll(names, 'dependentRequired', object, at, evaluation);
      }
    }),
  properties: (schemas, compiler) => {
    const nodes = entriesOf(schemas).map(([name, schema]) => [name, compiler.nodeOf(schema)] as const);
    return membersCheck((object, child, evaluation) => {
      spend(evaluation, nodes.length);
      for (const [name, node] of nodes) if (Object.hasOwn(object, name)) child(node, object[name], name);
    });
  },
  patternProperties: (schemas, compiler) => {
    const parts = entriesOf(schemas).map(([source, schema]) => ({
      pattern: compilePattern(source),
      node: compiler.nodeOf(schema),
    }));
    return membersCheck((object, child, evaluation) => {
      for (const name of keysOf(object, evaluation)) {
        for (const { pattern, node } of parts) {
          if (matches(pattern, name, evaluation)) child(node, object[name], name);
        }
      }
    });
  },
  additionalProperties: (schema, compiler, { properties, patternProperties }) => {
    const names = new Set(entriesOf(properties).map(([name]) => name));
    const patterns = entriesOf(patternProperties).map(([source]) => compilePattern(source));
    const isDeclared = (name: string, evaluation: Evaluation) =>
      names.has(name) || patterns.some((pattern) => matches(pattern, name, evaluation));
    return othersCheck('additionalProperties', schema, compiler, isDeclared);
  },
  propertyNames: (schema, compiler) => {
    const node = compiler.nodeOf(schema);
    return objectCheck((object, at, evaluation) => {
      for (const name of keysOf(object, evaluation)) {
        if (isFull(evaluation)) return;
        const branch = evaluateBranch(node, name, at, evaluation, null);
        if (!isValid(branch))
          report(evaluation, object, at, { keyword: 'propertyNames', argument: schema, name });
      }
    });
  },
};

/** Keywords that judge what no other keyword has judged; they come last. */
export const unevaluatedKeywords: KeywordTable = {
  unevaluatedItems: (schema, compiler) => {
    const node = compiler.nodeOf(schema);
    return listCheck((list, child, judged) => {
      for (const [index, one] of list.entries()) if (!judged?.has(index)) child(node, one, index);
    });
  },
  unevaluatedProperties: (schema, compiler) =>
    othersCheck(
      'unevaluatedProperties',
      schema,
      compiler,
      (name, _evaluation, judged) => judged?.has(name) ?? false,
    ),
};

const isFull = ({ counted, maxProblems }: Evaluation) => counted >= maxProblems;

function matches(pattern: Pattern, name: string, evaluation: Evaluation): boolean {
  spend(evaluation, pattern.size * (name.length + 1));
  return pattern.test(name);
}

function sizeCheck(
  keyword: string,
  limit: unknown,
  isOfKind: (value: unknown) => boolean,
): Check | undefined {
  if (!isNumber(limit)) return undefined;
  const isRight = keyword.startsWith('max')
    ? (size: number) => size <= limit
    : (size: number) => size >= limit;
  return (value, at, evaluation) => {
    if (!isOfKind(value)) return;
    const size = Array.isArray(value) ? value.length : keysOf(value as JsonObject, evaluation).length;
    if (!isRight(size)) report(evaluation, value, at, { keyword, argument: limit });
  };
}

const checkUnique: Check = (value, at, evaluation) => {
  if (!Array.isArray(value)) return;
  const texts = new Set<string>();
  for (const one of value) texts.add(textOf(one, evaluation));
  if (texts.size < value.length) report(evaluation, value, at, { keyword: 'uniqueItems', argument: true });
};

type Child<Step> = (node: Node, value: unknown, step: Step) => void;

function listCheck(run: (list: unknown[], child: Child<number>, judged: Judged) => void): Check {
  return (value, at, evaluation, judged) => {
    if (Array.isArray(value)) run(value, childOf(at, evaluation, judged), judged);
  };
}

function childOf(at: Place, evaluation: Evaluation, judged: Judged): Child<string | number> {
  return (node, value, step) => {
    mark(judged, step, evaluation);
    evaluate(node, value, { parent: at, step }, evaluation);
  };
}

function objectCheck(
  run: (object: JsonObject, at: Place, evaluation: Evaluation, judged: Judged) => void,
): Check {
  return (value, at, evaluation, judged) => {
    if (isObject(value)) run(value, at, evaluation, judged);
  };
}

function membersCheck(
  run: (object: JsonObject, child: Child<string>, evaluation: Evaluation) => void,
): Check {
  return objectCheck((object, at, evaluation, judged) =>
    run(object, childOf(at, evaluation, judged), evaluation),
  );
}

function requireAll(
  names: unknown,
  keyword: string,
  object: JsonObject,
  at: Place,
  evaluation: Evaluation,
): void {
  const needed = [names].flat().map(String);
  spend(evaluation, needed.length);
  for (const name of needed) {
    if (!Object.hasOwn(object, name)) report(evaluation, object, at, { keyword, argument: names, name });
  }
}

/** Properties that are not declared: `false` reports their names. */
function othersCheck(
  keyword: string,
  schema: unknown,
  compiler: Compiler,
  isDeclared: (name: string, evaluation: Evaluation, judged: Judged) => boolean,
): Check {
  const node = compiler.nodeOf(schema);
  return objectCheck((object, at, evaluation, judged) => {
    const child = childOf(at, evaluation, judged);
    for (const name of keysOf(object, evaluation)) {
      if (isFull(evaluation)) return;
      if (isDeclared(name, evaluation, judged)) continue;
      if (schema !== false) child(node, object[name], name);
      else report(evaluation, object[name], at, { keyword, argument: schema, name });
    }
  });
}

function containsCheck(node: Node, least: number, most: number): Check {
  return (value, at, evaluation, judged) => {
    if (!Array.isArray(value)) return;
    let found = 0;
    for (const [index, one] of value.entries()) {
      if (!isValid(evaluateBranch(node, one, { parent: at, step: index }, evaluation, null))) continue;
      mark(judged, index, evaluation);
      found += 1;
    }
    if (found < least) report(evaluation, value, at, { keyword: 'contains', argument: least });
    if (found > most) report(evaluation, value, at, { keyword: 'maxContains', argument: most });
  };
}
