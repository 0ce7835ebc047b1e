// How the code is cut, in figures: `npm run figures`, or `npm run figures -- packages/db services/dispatcher` for these
// folders, with the files that are one small function. Tests, `testing/` and generated files are left out.
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseSync } from '@swc/core';
import { root } from './child.mjs';

const core = [
  'services/{api-gateway,dispatcher,ledger,webhook-sender}',
  'packages/{domain,kit,db,queues,egress,files,providers,executions,setup}',
];
/** The files in which each step of an execution begins, from the request to the webhook. */
const steps = [
  'services/api-gateway/src/api/executions/postExecution.ts',
  'services/dispatcher/src/attempt/attempt.ts',
  'packages/executions/src/settler.ts',
  'services/webhook-sender/src/{fanOut,delivery}.ts',
];

const isProduct = (file) => !/\.test\.ts$|\.d\.ts$|\/testing\/|\/generated\/|\/conformance\//.test(file);
const filesOf = (pattern) =>
  globSync(pattern, { cwd: root }).filter((file) => isProduct(file) && !file.includes('node_modules'));
const read = (file) => readFileSync(path.join(root, file), 'utf8');

function quantile(values, q) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? 0;
}

function commentLines(text) {
  let inside = false;
  return text.split('\n').filter((line) => {
    const start = line.trim();
    const counts = inside || start.startsWith('//') || start.startsWith('/*');
    if (start.startsWith('/*')) inside = true;
    if (inside && start.endsWith('*/')) inside = false;
    return counts;
  }).length;
}

const functionTypes = new Set([
  'FunctionDeclaration',
  'FunctionExpression',
  'ArrowFunctionExpression',
  'ClassMethod',
  'MethodProperty',
]);

/** Every function's length in lines, and how often `any` is written. */
function measure(text) {
  const bytes = Buffer.from(text);
  const module = parseSync(text, { syntax: 'typescript', target: 'es2024' });
  const offset = module.span.start;
  const found = { functions: [], anys: 0, exported: [] };
  const linesOf = ({ start, end }) =>
    bytes
      .subarray(Math.max(0, start - offset), end - offset)
      .toString()
      .split('\n').length;
  const visit = (node) => {
    if (node === null || typeof node !== 'object') return;
    if (Array.isArray(node)) {
      for (const one of node) visit(one);
      return;
    }
    if (functionTypes.has(node.type)) found.functions.push(linesOf(node.span ?? node.function.span));
    if (node.type === 'TsKeywordType' && node.kind === 'any') found.anys += 1;
    for (const one of Object.values(node)) visit(one);
  };
  visit(module.body);
  found.exported = module.body
    .filter(({ type }) => type === 'ExportDeclaration')
    .filter(({ declaration }) => !declaration.type.startsWith('Ts'))
    .map(({ declaration }) => ({ type: declaration.type, lines: linesOf(declaration.span) }));
  return found;
}

const isOneSmallFunction = ({ exported: [only, ...others] }) =>
  others.length === 0 && only?.type === 'FunctionDeclaration' && only.lines < 25;

function report(name, files) {
  const all = files.map((file) => {
    const text = read(file);
    return { lines: text.split('\n').length - 1, comments: commentLines(text), ...measure(text) };
  });
  const lines = all.map((one) => one.lines);
  const functions = all.flatMap((one) => one.functions);
  const sum = (key) => all.reduce((total, one) => total + one[key], 0);
  const percent = (part, whole) => `${((100 * part) / whole).toFixed(1)} %`;
  return {
    where: name,
    files: all.length,
    'median lines': quantile(lines, 0.5),
    'p90 lines': quantile(lines, 0.9),
    'one small function': percent(all.filter(isOneSmallFunction).length, all.length),
    'comment lines': percent(sum('comments'), sum('lines')),
    'functions over 50 lines': percent(functions.filter((n) => n > 50).length, functions.length),
    any: sum('anys'),
  };
}

const packagesByName = new Map(
  globSync('{packages,services}/*/package.json', { cwd: root }).map((file) => [
    JSON.parse(read(file)).name,
    path.dirname(file),
  ]),
);

function resolveImport(from, specifier) {
  if (specifier.startsWith('.')) return path.normalize(path.join(path.dirname(from), specifier));
  const [, name, rest] = /^(@holdfast\/[^/]+)\/(.+)$/.exec(specifier) ?? [];
  const folder = packagesByName.get(name);
  return folder && `${folder}/src/${rest}.ts`;
}

/** Every file of ours that a run-time import leads to from these. */
function reachedFrom(entries) {
  const seen = new Set();
  const waiting = [...entries];
  for (let file = waiting.pop(); file; file = waiting.pop()) {
    if (seen.has(file) || !existsSync(path.join(root, file))) continue;
    seen.add(file);
    for (const [, what, specifier] of read(file).matchAll(
      /^(?:import|export)\s+([^'";]*?)\s*from\s*'([^']+)'/gm,
    )) {
      const names = /^\{([\s\S]*)\}$/
        .exec(what)?.[1]
        .split(',')
        .filter((one) => one.trim() !== '') ?? ['value'];
      const isTypeOnly = what.startsWith('type ') || names.every((one) => one.trim().startsWith('type '));
      const target = isTypeOnly ? undefined : resolveImport(file, specifier);
      if (target && !target.includes('/generated/')) waiting.push(target);
    }
  }
  return [...seen];
}

const folders = process.argv.slice(2).map((folder) => folder.replace(/\/$/, ''));
if (folders.length > 0) {
  console.table(folders.map((folder) => report(folder, filesOf(`${folder}/**/*.ts`))));
  const small = folders
    .flatMap((folder) => filesOf(`${folder}/**/*.ts`))
    .filter((file) => isOneSmallFunction(measure(read(file))));
  console.log(`one small function:\n  ${small.join('\n  ')}`);
} else {
  const everything = core.flatMap((group) => filesOf(`${group}/src/**/*.ts`));
  const onPath = reachedFrom(steps.flatMap((pattern) => globSync(pattern, { cwd: root })));
  console.table([
    report('product core', everything),
    report('packages/db', filesOf('packages/db/src/**/*.ts')),
    report('on the path of an execution', onPath.filter(isProduct)),
  ]);
  console.log(`README: ${read('README.md').split('\n').length - 1} lines`);
}
