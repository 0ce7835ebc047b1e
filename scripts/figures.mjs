// How the code is cut, in figures: `npm run figures`, or `npm run figures -- packages/db services/dispatcher` for these
// folders, with the files that are one small function. The table leaves out tests, `testing/` and generated files.
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseSync } from '@swc/core';
import { root } from './child.mjs';

const core = [
  'services/{api-gateway,dispatcher,ledger,webhook-sender}',
  'packages/{domain,kit,db,queues,egress,files,providers,executions,setup}',
];
const parts = {
  'product core': core.map((group) => `${group}/src/**/*.ts`),
  'packages/db': ['packages/db/src/**/*.ts'],
  console: ['packages/console/src/**/*.{ts,tsx}'],
  cli: ['packages/cli/src/**/*.ts'],
  sdk: ['sdk/{typescript,react}/src/**/*.{ts,tsx}'],
};
/** The files in which each step of an execution begins, from the request to the webhook. */
const steps = [
  'services/api-gateway/src/api/executions/postExecution.ts',
  'services/dispatcher/src/attempt/attempt.ts',
  'packages/executions/src/settler.ts',
  'services/webhook-sender/src/{fanOut,delivery}.ts',
];

const isTest = (file) =>
  /\.test\.|\/(testing|conformance|fixtures|tests)\/|^(acceptance|bench|packages\/testkit|scripts\/fences)\//.test(
    file,
  );
const isGenerated = (file) =>
  /\.d\.ts$|\/generated\/|^sdk\/python\/src\/holdfast\/(_sync\/|models\.py$)/.test(file);
const isProduct = (file) => !isTest(file) && !isGenerated(file);
const filesOf = (patterns) =>
  globSync(patterns, { cwd: root }).filter((file) => isProduct(file) && !file.includes('node_modules'));
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

/** Every function with its length in lines, and how often `any` is written. */
function measure(text, file) {
  const bytes = Buffer.from(text);
  const module = parseSync(text, { syntax: 'typescript', tsx: file.endsWith('.tsx'), target: 'es2024' });
  const offset = module.span.start;
  const found = { functions: [], anys: 0, exported: [] };
  const linesOf = ({ start, end }) =>
    bytes
      .subarray(Math.max(0, start - offset), end - offset)
      .toString()
      .split('\n').length;
  const visit = (node, owner) => {
    if (node === null || typeof node !== 'object') return;
    if (Array.isArray(node)) {
      for (const one of node) visit(one, owner);
      return;
    }
    const name = (node.identifier ?? node.id ?? node.key)?.value ?? owner;
    if (functionTypes.has(node.type))
      found.functions.push({ name, file, lines: linesOf(node.span ?? node.function.span) });
    if (node.type === 'TsKeywordType' && node.kind === 'any') found.anys += 1;
    for (const one of Object.values(node)) visit(one, name);
  };
  visit(module.body, '');
  found.exported = module.body
    .filter(({ type }) => type === 'ExportDeclaration')
    .filter(({ declaration }) => !declaration.type.startsWith('Ts'))
    .map(({ declaration }) => ({ type: declaration.type, lines: linesOf(declaration.span) }));
  return found;
}

const isOneSmallFunction = ({ exported: [only, ...others] }) =>
  others.length === 0 && only?.type === 'FunctionDeclaration' && only.lines < 25;

const linesIn = (file) => read(file).split('\n').length - 1;
const total = (values) => values.reduce((sum, one) => sum + one, 0);

function report(name, files) {
  const all = files.map((file) => {
    const text = read(file);
    return { lines: linesIn(file), comments: commentLines(text), ...measure(text, file) };
  });
  const lines = all.map((one) => one.lines);
  const sum = (key) => total(all.map((one) => one[key]));
  const percent = (part, whole) => `${((100 * part) / whole).toFixed(1)} %`;
  return {
    where: name,
    files: all.length,
    lines: sum('lines'),
    'median lines': quantile(lines, 0.5),
    'p90 lines': quantile(lines, 0.9),
    'one small function': percent(all.filter(isOneSmallFunction).length, all.length),
    'comment lines': percent(sum('comments'), sum('lines')),
    any: sum('anys'),
  };
}

function printLongest(files) {
  const functions = files.flatMap((file) => measure(read(file), file).functions);
  const longest = functions.toSorted((a, b) => b.lines - a.lines).slice(0, 10);
  console.log('The longest functions, in lines:');
  for (const { lines, name, file } of longest)
    console.log(`  ${String(lines).padStart(4)}  ${name}  ${file}`);
}

/** What Git tracks, without lock files, and the weight of the tests (suites, bench and harness too) beside the product. */
function printWeight() {
  const tracked = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' })
    .split('\0')
    .filter((file) => file !== '' && !file.endsWith('pnpm-lock.yaml') && existsSync(path.join(root, file)));
  const code = tracked.filter((file) => /\.(tsx?|mjs|js|py|css)$/.test(file) && !isGenerated(file));
  const tests = total(code.filter(isTest).map(linesIn));
  const product = total(
    code.filter((file) => !isTest(file) && /^(packages|services|sdk)\//.test(file)).map(linesIn),
  );
  console.log(`Tests, ${tests} lines, by product, ${product} lines: ${(tests / product).toFixed(2)}`);
  console.log(`Tracked: ${total(tracked.map(linesIn))} lines. README: ${linesIn('README.md')} lines`);
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

/** The files of a step. @throws if they have been moved */
function entriesOf(pattern) {
  const entries = globSync(pattern, { cwd: root });
  if (entries.length === 0) throw new Error(`scripts/figures.mjs: ${pattern} matches no file`);
  return entries;
}

const folders = process.argv.slice(2).map((folder) => folder.replace(/\/$/, ''));
if (folders.length > 0) {
  const files = folders.map((folder) => filesOf(`${folder}/**/*.{ts,tsx}`));
  console.table(folders.map((folder, index) => report(folder, files[index])));
  const small = files.flat().filter((file) => isOneSmallFunction(measure(read(file), file)));
  console.log(`one small function:\n  ${small.join('\n  ')}`);
  printLongest(files.flat());
} else {
  const onPath = reachedFrom(steps.flatMap(entriesOf)).filter(isProduct);
  const rows = Object.entries(parts).map(([name, patterns]) => report(name, filesOf(patterns)));
  console.table([...rows, report('on the path of an execution', onPath)]);
  printLongest(filesOf(Object.values(parts).flat()));
  printWeight();
}
