import { functions } from './functions.ts';
import type { Command, Definitions, Node, Operand, Pipe } from './tree.ts';
import { fieldOf, isDict, isTrue, textOf } from './values.ts';

/** The scope at a place: the dot, and the variables, inner ones first. */
type Scope = { dot: unknown; variables: Map<string, unknown>; around: Scope | null };

const nothing = Symbol('no value is piped in');

/** Renders a template for a dot. @throws where Go would, and for unsupported syntax */
export function render(nodes: Node[], definitions: Definitions, dot: unknown): string {
  const output: string[] = [];
  write(nodes, { dot, variables: new Map([['$', dot]]), around: null });
  return output.join('');

  function write(some: Node[], scope: Scope): void {
    for (const node of some) writeOne(node, scope);
  }

  function writeOne(node: Node, scope: Scope): void {
    if (node.kind === 'text') output.push(node.text);
    else if (node.kind === 'output') writePipe(node.pipe, scope);
    else if (node.kind === 'if') writeIf(node.branches, scope);
    else if (node.kind === 'with') writeWith(node, scope);
    else writeRange(node, scope);
  }

  function writePipe(pipe: Pipe, scope: Scope): void {
    const value = valueOf(pipe, scope);
    const [name] = pipe.variables;
    if (name === undefined) output.push(textOf(value));
    else if (pipe.isAssigned) holderOf(name, scope).set(name, value);
    else scope.variables.set(name, value);
  }

  function writeIf(branches: { pipe: Pipe | null; body: Node[] }[], scope: Scope): void {
    for (const { pipe, body } of branches) {
      if (pipe !== null && !isTrue(valueOf(pipe, scope))) continue;
      return write(body, inside(scope, scope.dot));
    }
  }

  function writeWith(node: { pipe: Pipe; body: Node[]; otherwise: Node[] }, scope: Scope): void {
    const value = valueOf(node.pipe, scope);
    if (isTrue(value)) write(node.body, inside(scope, value));
    else write(node.otherwise, inside(scope, scope.dot));
  }

  function writeRange(node: { pipe: Pipe; body: Node[]; otherwise: Node[] }, scope: Scope): void {
    const { pipe, body, otherwise } = node;
    const entries = entriesOf(valueOf(pipe, scope));
    const names = pipe.variables.length === 1 ? [undefined, ...pipe.variables] : pipe.variables;
    for (const [key, value] of entries) {
      const within = inside(scope, value);
      if (names[0] !== undefined) within.variables.set(names[0], key);
      if (names[1] !== undefined) within.variables.set(names[1], value);
      write(body, within);
    }
    if (entries.length === 0) write(otherwise, inside(scope, scope.dot));
  }

  function valueOf(pipe: Pipe, scope: Scope): unknown {
    return pipe.commands.reduce<unknown>((piped, command) => run(command, piped, scope), nothing);
  }

  function run([first, ...rest]: Command, piped: unknown, scope: Scope): unknown {
    const args = () => [
      ...rest.map((operand) => worth(operand, scope)),
      ...(piped === nothing ? [] : [piped]),
    ];
    if (first?.kind !== 'function') {
      const value = first && worth(first, scope);
      if (typeof value === 'function') return value(...args());
      if (!first || rest.length > 0 || piped !== nothing) throw new Error('a value is no function');
      return value;
    }
    if (first.name === 'and' || first.name === 'or') return shortest(first.name, rest, scope);
    if (first.name === 'include') return include(args());
    const known = Object.hasOwn(functions, first.name) ? functions[first.name] : undefined;
    if (!known) throw new Error(`the function ${first.name} is not known here`);
    return known(...(args() as never[]));
  }

  function include([name, value]: unknown[]): string {
    const defined = definitions.get(textOf(name));
    if (!defined) throw new Error(`no template is called ${textOf(name)}`);
    return render(defined, definitions, value);
  }

  /** The first argument that decides, else the last; later ones are not evaluated. */
  function shortest(name: 'and' | 'or', operands: Operand[], scope: Scope): unknown {
    let value: unknown;
    for (const operand of operands) {
      value = worth(operand, scope);
      if (isTrue(value) === (name === 'or')) return value;
    }
    return value;
  }

  function worth(operand: Operand, scope: Scope): unknown {
    if (operand.kind === 'literal') return operand.value;
    if (operand.kind === 'function') return run([operand], nothing, scope);
    const { start, fields } = operand;
    if (typeof start !== 'string') return fieldOf(valueOf(start, scope), fields);
    return fieldOf(start === '.' ? scope.dot : holderOf(start, scope).get(start), fields);
  }
}

function inside(scope: Scope, dot: unknown): Scope {
  return { dot, variables: new Map(), around: scope };
}

function holderOf(name: string, scope: Scope): Map<string, unknown> {
  for (let at: Scope | null = scope; at; at = at.around) if (at.variables.has(name)) return at.variables;
  throw new Error(`the variable ${name} is not known`);
}

/** Iterates maps in the order of their keys, as Go does. */
function entriesOf(value: unknown): [unknown, unknown][] {
  if (Array.isArray(value)) return [...value.entries()];
  if (isDict(value)) return Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  if (value === null || value === undefined) return [];
  throw new Error(`range over ${JSON.stringify(value)}`);
}
