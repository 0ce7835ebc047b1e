import type { KeywordTable } from './compile.ts';
import { type Check, evaluate, evaluateBranch, isValid, type Node, report } from './evaluation.ts';
import { entriesOf, isObject } from './values.ts';

const dependents: KeywordTable[string] = (schemas, compiler) => {
  const nodes = entriesOf(schemas).map(([name, schema]) => [name, compiler.nodeOf(schema)] as const);
  return (value, at, evaluation, judged) => {
    if (!isObject(value)) return;
    for (const [name, node] of nodes) {
      if (Object.hasOwn(value, name)) evaluate(node, value, at, evaluation, judged);
    }
  };
};

/** Problems of each branch: enough to say what would be valid. */
const maxBranchProblems = 20;

/** Keywords that evaluate the same value by other schemas. */
export const choiceKeywords: KeywordTable = {
  $ref: (reference, compiler, schema) => {
    const node = compiler.referredBy(String(reference), schema);
    return (value, at, evaluation, judged) => evaluate(node, value, at, evaluation, judged);
  },
  allOf: (schemas, compiler) => {
    const nodes = [schemas].flat().map(compiler.nodeOf);
    return (value, at, evaluation, judged) => {
      for (const node of nodes) evaluate(node, value, at, evaluation, judged);
    };
  },
  anyOf: (schemas, compiler) =>
    choiceCheck('anyOf', schemas, [schemas].flat().map(compiler.nodeOf), () => true),
  oneOf: (schemas, compiler) =>
    choiceCheck('oneOf', schemas, [schemas].flat().map(compiler.nodeOf), (matching) => matching === 1),
  not: (schema, compiler) => {
    const node = compiler.nodeOf(schema);
    return (value, at, evaluation) => {
      if (!isValid(evaluateBranch(node, value, at, evaluation, null))) return;
      report(evaluation, value, at, { keyword: 'not', argument: schema });
    };
  },
  if: (schema, compiler, { then = true, else: otherwise = true }) => {
    const [node, thenNode, elseNode] = [schema, then, otherwise].map(compiler.nodeOf) as [Node, Node, Node];
    return (value, at, evaluation, judged) => {
      const applies = isValid(evaluateBranch(node, value, at, evaluation, judged));
      evaluate(applies ? thenNode : elseNode, value, at, evaluation, judged);
    };
  },
  dependentSchemas: dependents,
  /** Before 2019-09, which many schemas still follow. */
  dependencies: (needs, compiler, schema) => {
    const schemas = entriesOf(needs).map(([name, need]) => [
      name,
      Array.isArray(need) ? { required: need } : need,
    ]);
    return dependents(Object.fromEntries(schemas), compiler, schema);
  },
};

/** `isEnough` judges the number of matching branches, when there is one. */
function choiceCheck(
  keyword: string,
  argument: unknown,
  nodes: readonly Node[],
  isEnough: (matching: number) => boolean,
): Check {
  return (value, at, evaluation, judged) => {
    const branches = [];
    let matching = 0;
    for (const node of nodes) {
      const branch = evaluateBranch(node, value, at, evaluation, judged, maxBranchProblems);
      if (isValid(branch)) matching += 1;
      branches.push(...branch.problems);
      // What has been judged depends on all branches.
      if (matching > 0 && keyword === 'anyOf' && judged === null) return;
    }
    if (matching > 0 && isEnough(matching)) return;
    report(evaluation, value, at, { keyword, argument, branches: matching === 0 ? branches : [] });
  };
}
