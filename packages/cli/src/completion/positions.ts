import { executionStatuses } from '@holdfast/domain/statuses';
import type { Command } from '../command.ts';
import { commonFlags } from '../help.ts';

/** What follows a flag: nothing, one of these words, a file, or anything. */
export type Value = 'none' | 'file' | 'any' | readonly string[];

export type Flag = { name: string; value: Value };

/** What may follow some words of the command line (`org`, `org create`). */
export type Position = {
  /** The words, joined by spaces; empty after `holdfast` itself. */
  at: string;
  /** Further words of commands, and choices of the first operand. */
  words: string[];
  flags: Flag[];
};

/** Every position of the command line, read from the usages of the commands. */
export function positionsOf(commands: readonly Command[]): Position[] {
  const positions = new Map<string, Position>();
  const positionAt = (at: string) => {
    const position = positions.get(at) ?? { at, words: [], flags: [] };
    positions.set(at, position);
    return position;
  };
  for (const line of commands.flatMap(({ usage }) => linesOf(usage))) {
    const { path, rest } = split(line);
    for (const [index, word] of path.entries()) add(positionAt(path.slice(0, index).join(' ')).words, word);
    const position = positionAt(path.join(' '));
    for (const word of operandWords(rest)) add(position.words, word);
    for (const flag of [...flagsOf(rest), ...common]) {
      if (!position.flags.some(({ name }) => name === flag.name)) position.flags.push(flag);
    }
  }
  return [...positions.values()];
}

function add(words: string[], word: string): void {
  if (!words.includes(word)) words.push(word);
}

/** An indented line continues the line before. */
const linesOf = (usage: string) => usage.replaceAll(/\n +/g, ' ').split('\n');

/** The literal words at the beginning, and the rest. */
function split(line: string): { path: string[]; rest: string } {
  const words = line.replace(/^holdfast /, '').split(' ');
  const end = words.findIndex((word) => !/^[a-z][a-z-]*$/.test(word));
  const count = end === -1 ? words.length : end;
  return { path: words.slice(0, count), rest: words.slice(count).join(' ') };
}

/** The choices of the first operand. */
function operandWords(rest: string): readonly string[] {
  const [, operand = ''] = /^<([^>]+)>/.exec(rest) ?? [];
  return choicesOf(operand);
}

function flagsOf(text: string): Flag[] {
  return [...text.matchAll(/(--[a-z-]+)(?: (<[^>]+>|[^\s[\]-][^\s\]]*))?/g)].map(([, name = '', value]) => ({
    name,
    value: value === undefined ? 'none' : valueOf(value),
  }));
}

function valueOf(text: string): Value {
  if (/folder|@file/.test(text)) return 'file';
  const choices = choicesOf(text);
  return choices.length > 0 ? choices : 'any';
}

/** The literal choices of `a|b|c`: words in capitals are placeholders, unless they are statuses. */
function choicesOf(text: string): readonly string[] {
  if (!text.includes('|')) return [];
  const isTyped = (word: string) => /^[a-z-]+$/.test(word) || executionStatuses.some((one) => one === word);
  return text.split('|').filter(isTyped);
}

const common = commonFlags.flatMap(([flag]) => flagsOf(flag.replace('-h, ', '')));
