import { UsageError } from '@holdfast/kit/flags';
import type { Context } from '../command.ts';
import { commands } from '../commands.ts';
import { readOperands } from '../flags.ts';
import { positionsOf } from './positions.ts';
import { scripts } from './scripts.ts';

const isShell = (name: string): name is keyof typeof scripts => Object.hasOwn(scripts, name);

export async function completion(args: string[], { print }: Context): Promise<number> {
  const { operands } = readOperands('completion', args, ['shell'], {});
  const [shell] = operands;
  if (!isShell(shell)) throw new UsageError(`there is no completion for "${shell}": use bash, zsh or fish`);
  print(scripts[shell](positionsOf(commands)).trimEnd());
  return 0;
}
