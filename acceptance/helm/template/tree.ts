/** An operand before evaluation. */
export type Operand =
  | { kind: 'literal'; value: string | number | boolean | null }
  /** `.a.b`, `$x.a`: the dot or a variable, and the fields that follow; or a parenthesis. */
  | { kind: 'fields'; start: string | Pipe; fields: string[] }
  | { kind: 'function'; name: string };

export type Command = Operand[];
/** `variables`: the names that the result is bound to, by `:=`, or by `=` if `isAssigned`. */
export type Pipe = { variables: string[]; isAssigned: boolean; commands: Command[] };

export type Node =
  | { kind: 'text'; text: string }
  | { kind: 'output'; pipe: Pipe }
  | { kind: 'if'; branches: { pipe: Pipe | null; body: Node[] }[] }
  | { kind: 'range' | 'with'; pipe: Pipe; body: Node[]; otherwise: Node[] };

/** Templates defined by `define`. */
export type Definitions = Map<string, Node[]>;
