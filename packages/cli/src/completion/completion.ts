import type { Command } from '../command.ts';
import { readOperands } from '../flags.ts';
import { UsageError } from '../usageError.ts';
import { bashScript } from './bash.ts';
import { fishScript } from './fish.ts';
import { placesOf } from './words.ts';
import { zshScript } from './zsh.ts';

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript };

const isShell = (name: string): name is keyof typeof scripts => Object.hasOwn(scripts, name);

/** Made from the table that it stands in itself. */
export function completion(commands: () => readonly Command[]): Command {
  return {
    name: 'completion',
    about: 'print a script that completes the words and flags of holdfast in a shell',
    usage: 'holdfast completion <bash|zsh|fish>',
    examples: `holdfast() { npm run --silent holdfast -- "$@"; }    # in ~/.bashrc; zsh completes no alias by its name
source <(holdfast completion bash)                    # in ~/.zshrc the same with zsh, after compinit
function holdfast; npm run --silent holdfast -- $argv; end; holdfast completion fish | source    # fish`,
    async run(args, { say }) {
      const { operands } = readOperands('completion', args, ['shell'], {});
      const [shell] = operands;
      if (!isShell(shell)) throw new UsageError(`there is no completion for "${shell}": bash, zsh or fish`);
      say(scripts[shell](placesOf(commands())).trimEnd());
      return 0;
    },
  };
}
