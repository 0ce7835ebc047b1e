import { type ModelDefinition, modelDefinition } from '@holdfast/domain/modelDefinition';
import { requirementOf } from '@holdfast/kit/requirement';
import { type Document, isMap, isNode, isScalar, LineCounter, parseDocument, visit } from 'yaml';
import { formatWarnings } from './formats.ts';
import { type ModelParts, validParts } from './modelParts.ts';
import { modelProblems } from './modelRules.ts';
import { keysAt } from './modelSchema.ts';
import { type ModelProblem, shapeProblems } from './problems.ts';

/** `message` begins with the field, if one is wrong. `line`: from 1; null: the whole text. */
export type TextProblem = { line: number | null; message: string };

/** `slug` is set even when other fields are invalid. A valid text may have warnings too. */
export type ReadModel<Problem = TextProblem> = {
  definition: ModelDefinition | null;
  slug: string | null;
  problems: Problem[];
  warnings: Problem[];
};

/** Reads a model's YAML, and reports its problems as `file:line: where: what`. */
export function parseModel(file: string, text: string): ReadModel<string> {
  const { problems, warnings, ...rest } = readModelText(text);
  const reported = (found: TextProblem[]) =>
    found.map(({ line, message }) => `${line === null ? file : `${file}:${line}`}: ${message}`);
  return { ...rest, problems: reported(problems), warnings: reported(warnings) };
}

export function readModelText(text: string): ReadModel {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, intAsBigInt: true });
  const lineAt = (offset: number | undefined) => (offset === undefined ? null : lines.linePos(offset).line);
  const unreadable = (problems: TextProblem[]) => ({ definition: null, slug: null, problems, warnings: [] });
  if (document.errors.length > 0)
    return unreadable(document.errors.map(({ pos, message }) => ({ line: lineAt(pos[0]), message })));
  const dangling = danglingAliases(document);
  if (dangling.length > 0)
    return unreadable(
      dangling.map(({ name, offset }) => ({
        line: lineAt(offset),
        message: `*${name}: there is no &${name} before it`,
      })),
    );
  const { definition, slug, problems, warnings } = read(document);
  const located = (found: ModelProblem[]) =>
    found
      .map((problem) => ({ ...problem, offset: offsetOf(document, problem.path) }))
      .toSorted((a, b) => (a.offset ?? 0) - (b.offset ?? 0))
      .map(({ path, message, offset }) => ({
        line: lineAt(offset),
        message: `${path.length > 0 ? `${path.join('.')}: ` : ''}${message}`,
      }));
  return { definition, slug, problems: located(problems), warnings: located(warnings) };
}

/** The text with another `active`, and its comments. */
export function withActive(text: string, active: boolean): string {
  const document = parseDocument(text, { intAsBigInt: true });
  document.set('active', active);
  return document.toString({ lineWidth: 0 });
}

type Read = ReadModel<ModelProblem>;

function read(document: Document): Read {
  const value = valueOf(document);
  if (value === undefined) {
    const problems = [{ path: [], message: 'its aliases would fill the memory' }];
    return { definition: null, slug: null, problems, warnings: [] };
  }
  const { success, data, error } = modelDefinition.safeParse(value, { error: requirementOf });
  const isGiven = (path: PropertyKey[]) =>
    (path.length === 0 ? document.contents : document.getIn(path, true)) !== undefined;
  const shape = success ? [] : shapeProblems(error.issues, { isGiven, keysAt });
  const parts = success ? data : validParts(value, error.issues);
  const rules = [...unstorable(parts), ...modelProblems(parts)].map(({ path, message }) => ({
    path: asWritten(document, path),
    message,
  }));
  const problems = [...shape, ...rules];
  const warnings = parts.input_schema === undefined ? [] : formatWarnings(parts.input_schema);
  return {
    definition: success && problems.length === 0 ? data : null,
    slug: parts.slug ?? null,
    problems,
    warnings,
  };
}

/** Only integers beyond 2^53 are bigints, as in JSON: the largest seed is 2^64 - 1. */
function shortInteger(value: unknown): unknown {
  const number = typeof value === 'bigint' ? Number(value) : null;
  return Number.isSafeInteger(number) || number === Number.POSITIVE_INFINITY ? number : value;
}

/** Undefined for nested aliases whose expansion would be endless. */
function valueOf(document: Document): unknown {
  try {
    return document.toJS({ reviver: (_name, value: unknown) => shortInteger(value) });
  } catch (error) {
    if (error instanceof ReferenceError) return undefined;
    throw error;
  }
}

function danglingAliases(document: Document): { name: string; offset: number | undefined }[] {
  const found: { name: string; offset: number | undefined }[] = [];
  visit(document, {
    Alias(_key, alias) {
      if (!alias.resolve(document)) found.push({ name: alias.source, offset: alias.range?.[0] });
    },
  });
  return found;
}

/** PostgreSQL accepts neither NUL nor lone surrogates, and JSON has no infinite numbers: they would become null. */
function unstorable(parts: ModelParts): ModelProblem[] {
  return Object.entries(parts).flatMap(([field, value]) => {
    let isFinite = true;
    const text = JSON.stringify(value, (_name, one: unknown) => {
      if (typeof one === 'number' && !Number.isFinite(one)) isFinite = false;
      return one;
    });
    const isText = !/(?<!\\)(\\\\)*\\u(0000|d[89a-f])/.test(text ?? '');
    return [
      ...(isText ? [] : [{ path: [field], message: 'holds a character that can not be stored' }]),
      ...(isFinite ? [] : [{ path: [field], message: 'holds .inf, .nan or a number that is too large' }]),
    ];
  });
}

/** The path as the file has it: a single provider may be `provider`. */
function asWritten(document: Document, path: PropertyKey[]): PropertyKey[] {
  const [first, , ...rest] = path;
  return first === 'providers' && document.has('provider') ? ['provider', ...rest] : path;
}

/** The offset of the key at a path, or of its nearest parent; undefined when neither exists. */
export function offsetOf(document: Document, path: readonly PropertyKey[]): number | undefined {
  for (let length = path.length; length >= 0; length -= 1) {
    const found = offsetAt(document, path.slice(0, length));
    if (found !== undefined) return found;
  }
  return undefined;
}

function offsetAt(document: Document, path: readonly PropertyKey[]): number | undefined {
  const last = path.at(-1);
  const node: unknown = last === undefined ? document.contents : document.getIn(path, true);
  const parent: unknown = path.length > 1 ? document.getIn(path.slice(0, -1), true) : document.contents;
  if (last !== undefined && isMap(parent)) {
    const key = parent.items.find((pair) => isScalar(pair.key) && pair.key.value === last)?.key;
    if (isNode(key) && key.range) return key.range[0];
  }
  return isNode(node) && node.range ? node.range[0] : undefined;
}
