import type { Context } from '../command.ts';
import { commands } from '../commands.ts';
import { readOperands } from '../flags.ts';
import { UsageError } from '../usageError.ts';
import { bashScript } from './bash.ts';
import { fishScript } from './fish.ts';
import { placesOf } from './words.ts';
import { zshScript } from './zsh.ts';

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript };

const isShell = (name: string): name is keyof typeof scripts => Object.hasOwn(scripts, name);

export async function completion(args: string[], { say }: Context): Promise<number> {
  const { operands } = readOperands('completion', args, ['shell'], {});
  const [shell] = operands;
  if (!isShell(shell)) throw new UsageError(`there is no completion for "${shell}": use bash, zsh or fish`);
  say(scripts[shell](placesOf(commands)).trimEnd());
  return 0;
}
