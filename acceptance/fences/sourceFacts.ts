import { parseSync } from '@swc/core';

/** What a source file uses, read from its syntax tree and not from its text. */
export type SourceFacts = {
  imports: string[];
  readsEnvironment: boolean;
  logsToConsole: boolean;
  speaksSql: boolean;
};

type SyntaxNode = { readonly type: string; readonly [key: string]: unknown };

function isNode(value: unknown): value is SyntaxNode {
  return (
    typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string'
  );
}

function asNode(value: unknown): SyntaxNode | undefined {
  return isNode(value) ? value : undefined;
}

function everyNode(value: unknown, visit: (node: SyntaxNode) => void): void {
  if (Array.isArray(value)) {
    for (const item of value) everyNode(item, visit);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  if (isNode(value)) visit(value);
  for (const child of Object.values(value)) everyNode(child, visit);
}

function nameOf(node: SyntaxNode | undefined): string | undefined {
  return node && (node.type === 'Identifier' || node.type === 'StringLiteral')
    ? String(node['value'])
    : undefined;
}

/** `a.b` and `a['b']` as ['a', 'b']; `x().b` as [undefined, 'b']. */
function member(node: SyntaxNode | undefined): [string | undefined, string | undefined] | undefined {
  if (node?.type !== 'MemberExpression') return undefined;
  const property = asNode(node['property']);
  const key = property?.type === 'Computed' ? asNode(property['expression']) : property;
  const object = asNode(node['object']);
  return [nameOf(object) ?? member(object)?.[1], nameOf(key)];
}

function firstArgument(call: SyntaxNode): SyntaxNode | undefined {
  const list = call['arguments'];
  const first: unknown = Array.isArray(list) ? list[0] : undefined;
  return asNode((first as { expression?: unknown } | undefined)?.expression);
}

function importedBy(node: SyntaxNode): string | undefined {
  if (node.type === 'CallExpression') {
    return asNode(node['callee'])?.type === 'Import' ? nameOf(firstArgument(node)) : undefined;
  }
  const declares = ['ImportDeclaration', 'ExportNamedDeclaration', 'ExportAllDeclaration'].includes(
    node.type,
  );
  return declares ? nameOf(asNode(node['source'])) : undefined;
}

const rawPrisma = /^\$(query|execute)Raw(Unsafe)?$/;
const connections = /(pool|client|connection|database|db|pg)$/i;

// `.query(` is also supertest's query string: it is SQL if its argument is a text, or its object a connection.
function isQuery(node: SyntaxNode): boolean {
  if (node.type !== 'CallExpression') return false;
  const called = member(asNode(node['callee']));
  if (called?.[1] !== 'query') return false;
  const argument = firstArgument(node)?.type ?? '';
  return connections.test(called[0] ?? '') || ['StringLiteral', 'TemplateLiteral'].includes(argument);
}

/** @throws if the text is not valid TypeScript */
export function readSourceFacts(text: string): SourceFacts {
  const facts: SourceFacts = { imports: [], readsEnvironment: false, logsToConsole: false, speaksSql: false };
  everyNode(parseSync(text, { syntax: 'typescript', target: 'es2024' }).body, (node) => {
    const imported = importedBy(node);
    if (imported !== undefined) facts.imports.push(imported);
    const [object, property] = member(node) ?? [];
    if (object === 'process' && property === 'env') facts.readsEnvironment = true;
    if (object === 'console' && property === 'log') facts.logsToConsole = true;
    if (rawPrisma.test(property ?? '') || isQuery(node)) facts.speaksSql = true;
  });
  return facts;
}
