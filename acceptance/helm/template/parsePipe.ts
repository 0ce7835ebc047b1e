import type { Command, Operand, Pipe } from './tree.ts';

/** Parses the content of an action, without its keyword. @throws for unsupported syntax */
export function parsePipe(words: string[]): Pipe {
  const declared = words.findIndex((word) => word === ':=' || word === '=');
  const variables = declared < 0 ? [] : words.slice(0, declared).filter((word) => word !== ',');
  const rest = declared < 0 ? words : words.slice(declared + 1);
  const { commands, taken } = commandsOf(rest, 0);
  if (taken !== rest.length || commands.some((command) => command.length === 0))
    throw new Error(`not understood: ${words.join(' ')}`);
  return { variables, isAssigned: words[declared] === '=', commands };
}

function commandsOf(words: string[], from: number): { commands: Command[]; taken: number } {
  let command: Command = [];
  const commands = [command];
  let at = from;
  for (let word = words[at]; word !== undefined && word !== ')'; word = words[at]) {
    at += 1;
    if (word === '|') {
      command = [];
      commands.push(command);
    } else if (word === '(') {
      const inner = commandsOf(words, at);
      if (words[inner.taken] !== ')') throw new Error('a parenthesis is not closed');
      at = inner.taken + 1;
      const pipe = { variables: [], isAssigned: false, commands: inner.commands };
      command.push({ kind: 'fields', start: pipe, fields: [] });
    } else command.push(operandOf(word));
  }
  return { commands, taken: at };
}

const constants: Record<string, true | false | null> = { true: true, false: false, nil: null };

function operandOf(word: string): Operand {
  if (word.startsWith('"')) return { kind: 'literal', value: JSON.parse(word) as string };
  if (word.startsWith('`')) return { kind: 'literal', value: word.slice(1, -1) };
  if (/^-?\d+$/.test(word)) return { kind: 'literal', value: Number(word) };
  if (Object.hasOwn(constants, word)) return { kind: 'literal', value: constants[word] ?? null };
  if (word === '.') return { kind: 'fields', start: '.', fields: [] };
  if (word.startsWith('.')) return { kind: 'fields', start: '.', fields: word.slice(1).split('.') };
  const [start = '', ...fields] = word.split('.');
  if (start.startsWith('$')) return { kind: 'fields', start, fields };
  return { kind: 'function', name: word };
}
