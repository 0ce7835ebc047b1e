import { executionStatuses } from '@holdfast/domain/statuses';
import type { Command } from '../command.ts';
import { commonFlags } from '../help.ts';

/** What follows a flag: nothing, one of some words, a file, or what no shell can know. */
export type Value = 'none' | 'file' | 'any' | readonly string[];

export type Flag = { name: string; value: Value };

/** What may stand behind some words of the command line (`org`, `org create`). */
export type Place = {
  /** Joined by spaces; empty: behind `holdfast` itself. */
  at: string;
  /** Words that lead on, or that the first operand may be. */
  words: string[];
  flags: Flag[];
};

/** Every place of the command line, read from the usages of the commands. */
export function placesOf(commands: readonly Command[]): Place[] {
  const places = new Map<string, Place>();
  const placeAt = (at: string) => {
    const place = places.get(at) ?? { at, words: [], flags: [] };
    places.set(at, place);
    return place;
  };
  for (const line of commands.flatMap(({ usage }) => linesOf(usage))) {
    const { path, rest } = split(line);
    for (const [index, word] of path.entries()) add(placeAt(path.slice(0, index).join(' ')).words, word);
    const place = placeAt(path.join(' '));
    for (const word of operandWords(rest)) add(place.words, word);
    for (const flag of [...flagsOf(rest), ...ofEvery]) {
      if (!place.flags.some(({ name }) => name === flag.name)) place.flags.push(flag);
    }
  }
  return [...places.values()];
}

function add(words: string[], word: string): void {
  if (!words.includes(word)) words.push(word);
}

/** A line that is indented goes on with the one before. */
const linesOf = (usage: string) => usage.replaceAll(/\n +/g, ' ').split('\n');

/** The words that are typed as they stand, and what follows them. */
function split(line: string): { path: string[]; rest: string } {
  const words = line.replace(/^holdfast /, '').split(' ');
  const end = words.findIndex((word) => !/^[a-z][a-z-]*$/.test(word));
  const count = end === -1 ? words.length : end;
  return { path: words.slice(0, count), rest: words.slice(count).join(' ') };
}

/** Of the first operand, when it is one of some words. */
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

/** `a|b|c`; what stands there in capitals is no word to be typed, unless it is a status. */
function choicesOf(text: string): readonly string[] {
  if (!text.includes('|')) return [];
  const isTyped = (word: string) => /^[a-z-]+$/.test(word) || executionStatuses.some((one) => one === word);
  return text.split('|').filter(isTyped);
}

const ofEvery = commonFlags.flatMap(([flag]) => flagsOf(flag.replace('-h, ', '')));
