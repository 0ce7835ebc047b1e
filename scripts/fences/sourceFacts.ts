import { parseSync } from '@swc/core';

/** What a source file uses, read from its syntax tree and not from its text. */
export type SourceFacts = {
  imports: string[];
  /** Imports more than types of `node:http`. */
  loadsHttp: boolean;
  readsEnvironment: boolean;
  logsToConsole: boolean;
  speaksSql: boolean;
};

type SyntaxNode = { readonly type: string; readonly [key: string]: unknown };

function asNode(value: unknown): SyntaxNode | undefined {
  const node = value as SyntaxNode | null | undefined;
  return typeof node === 'object' && typeof node?.type === 'string' ? node : undefined;
}

/** A tree has thousands of nodes for each file, so this allocates nothing. */
function everyNode(value: object, visit: (node: SyntaxNode) => void): void {
  if ('type' in value && typeof value.type === 'string') visit(value as SyntaxNode);
  for (const key in value) {
    const child = (value as Record<string, unknown>)[key];
    if (typeof child === 'object' && child !== null) everyNode(child, visit);
  }
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

const declarations = new Set(['ImportDeclaration', 'ExportNamedDeclaration', 'ExportAllDeclaration']);

function importedBy(node: SyntaxNode): string | undefined {
  if (node.type === 'CallExpression') {
    return asNode(node['callee'])?.type === 'Import' ? nameOf(firstArgument(node)) : undefined;
  }
  return declarations.has(node.type) ? nameOf(asNode(node['source'])) : undefined;
}

function isOfTypes({ typeOnly, specifiers }: SyntaxNode): boolean {
  const names = Array.isArray(specifiers) ? (specifiers as { isTypeOnly?: boolean }[]) : [];
  return typeOnly === true || (names.length > 0 && names.every(({ isTypeOnly }) => isTypeOnly === true));
}

const rawPrisma = /^\$(query|execute)Raw(Unsafe)?$/;
const connections = /(pool|client|connection|database|db|pg)$/i;

// `.query(` is also supertest's query string: it is SQL if its argument is a text, or its object a connection.
function isQuery(node: SyntaxNode): boolean {
  const called = member(asNode(node['callee']));
  if (called?.[1] !== 'query') return false;
  const argument = firstArgument(node)?.type ?? '';
  return connections.test(called[0] ?? '') || ['StringLiteral', 'TemplateLiteral'].includes(argument);
}

/** @throws if the text is not valid TypeScript */
export function readSourceFacts(text: string, { tsx = false } = {}): SourceFacts {
  const facts: SourceFacts = {
    imports: [],
    loadsHttp: false,
    readsEnvironment: false,
    logsToConsole: false,
    speaksSql: false,
  };
  everyNode(parseSync(text, { syntax: 'typescript', tsx, target: 'es2024' }).body, (node) => {
    if (node.type === 'MemberExpression') readMember(node, facts);
    else if (node.type === 'CallExpression' && isQuery(node)) facts.speaksSql = true;
    const imported = importedBy(node);
    if (imported !== undefined) facts.imports.push(imported);
    if (imported === 'node:http' && !isOfTypes(node)) facts.loadsHttp = true;
  });
  return facts;
}

function readMember(node: SyntaxNode, facts: SourceFacts): void {
  const [object, property] = member(node) ?? [];
  if (object === 'process' && property === 'env') facts.readsEnvironment = true;
  if (object === 'console' && property === 'log') facts.logsToConsole = true;
  if (rawPrisma.test(property ?? '')) facts.speaksSql = true;
}
