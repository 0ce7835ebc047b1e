import { PatternError } from '@holdfast/domain/pattern';
import { choiceKeywords } from './choices.ts';
import { collectionKeywords, unevaluatedKeywords } from './collections.ts';
import {
  type Budget,
  BudgetExceeded,
  type Check,
  evaluate,
  type Node,
  newBudget,
  newEvaluation,
  type Problem,
  report,
} from './evaluation.ts';
import { indexSchema, SchemaError } from './references.ts';
import { scalarKeywords } from './scalars.ts';
import { isObject, type JsonObject } from './values.ts';

export type Formats = Record<string, (text: string) => boolean>;

/** A keyword's check; undefined when it checks nothing. */
export type KeywordTable = Record<
  string,
  (argument: unknown, compiler: Compiler, schema: JsonObject) => Check | undefined
>;

export type Compiler = {
  formats: Formats;
  /** What cannot be evaluated. */
  problems: Set<string>;
  nodeOf(schema: unknown): Node;
  referredBy(reference: string, schema: JsonObject): Node;
};

/** Judged first: when one fails, the value is not looked at further. */
const limitKeywords = ['type', 'maxLength', 'maxItems', 'maxProperties'];

const inOrder = Object.entries({
  ...scalarKeywords,
  ...choiceKeywords,
  ...collectionKeywords,
  ...unevaluatedKeywords,
});

export type Validation = { problems: Problem[]; isWithinBudget: boolean };

/** `budget`: of an earlier evaluation of the same value. */
export type Validator = (value: unknown, budget?: Budget) => Validation;

/** Problems above this are not looked for. */
const maxProblems = 200;

/**
 * Evaluates values by a JSON Schema (2020-12) in bounded time, whatever schema and value are.
 * @throws SchemaError for a schema that cannot be evaluated so
 */
export function compileSchema(schema: unknown, formats: Formats = {}): Validator {
  const compiler = createCompiler(schema, formats);
  const root = compiler.nodeOf(schema);
  if (compiler.problems.size > 0) throw new SchemaError([...compiler.problems]);
  return (value, budget = newBudget()) => {
    const evaluation = newEvaluation(budget, maxProblems);
    try {
      evaluate(root, value, null, evaluation);
      return { problems: evaluation.problems, isWithinBudget: true };
    } catch (error) {
      if (error instanceof BudgetExceeded) return { problems: evaluation.problems, isWithinBudget: false };
      throw error;
    }
  };
}

function createCompiler(root: unknown, formats: Formats): Compiler {
  const resolve = indexSchema(root);
  const nodes = new Map<unknown, Node>();
  const compiler: Compiler = {
    formats,
    problems: new Set(),
    referredBy: (reference, schema) => compiler.nodeOf(resolve(reference, schema)),
    nodeOf(schema) {
      const known = nodes.get(schema);
      if (known) return known;
      const node: Node = { limits: [], checks: [], tracks: false };
      // Before its parts are compiled: a schema may refer to itself.
      nodes.set(schema, node);
      if (schema === false) node.checks.push(refuse);
      else if (isObject(schema)) fillNode(node, schema, compiler);
      else if (schema !== true) compiler.problems.add('a schema must be an object, true or false');
      return node;
    },
  };
  return compiler;
}

const refuse: Check = (value, at, evaluation) =>
  report(evaluation, value, at, { keyword: 'false', argument: false });

function fillNode(node: Node, schema: JsonObject, compiler: Compiler): void {
  for (const [keyword, compile] of inOrder) {
    if (!Object.hasOwn(schema, keyword)) continue;
    const checks = limitKeywords.includes(keyword) ? node.limits : node.checks;
    try {
      checks.push(...[compile(schema[keyword], compiler, schema) ?? []].flat());
    } catch (error) {
      if (!(error instanceof PatternError) && !(error instanceof SchemaError)) throw error;
      compiler.problems.add(error.message);
    }
  }
  node.tracks = Object.keys(unevaluatedKeywords).some((keyword) => Object.hasOwn(schema, keyword));
}
